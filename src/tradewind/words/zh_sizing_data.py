"""中文：估算、攻略配置与标定的用语，按代码。"""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "tracing": "正在跟踪 {model} …",
    # headings and columns
    "head-relief": "{gpu} 上可以改善的办法", "head-setup": "攻略中的配置", "head-explain": "推算过程",
    "head-cheapest": "满足需求的最便宜机器（按需）", "head-calibration": "实测的训练步",
    "col-batch": "批量", "col-checkpointing": "重计算", "col-max-batch": "最大批量", "col-device": "设备",
    "col-peak-memory": "峰值", "col-steps": "步数",
    "col-latency-s": "延迟秒",
    "checkpointing-none": "无", "checkpointing-selective": "选择性", "checkpointing-full": "全部",
    "fact-data": "数据", "fact-about": "用途", "fact-guided": "攻略建议", "fact-verdict": "结论", "fact-note": "但是",
    "fact-now": "现在", "fact-source": "来源",
    # memory
    "memory-on": "{gpu} 的显存，微批量 {micro}：{peak}，可用 {usable} GiB",
    "memory-parameters": "参数", "memory-gradients": "梯度", "memory-optimizer": "优化器",
    "memory-activations": "激活", "memory-cache": "KV 缓存、激活", "memory-workspace": "工作区", "memory-runtime": "CUDA、NCCL",
    "sizes-more": "还有 {gpus}",
    # what limits
    "limits-too-large": "单张 {gpu} 需要 {peak} GiB",
    "limits-fits": "{limit}；{ways} 即可放下", "limits-never": "{limit}；{ways}", "limits-or": "{one}，或{other}",
    "way-activation-checkpointing": "使用激活重计算（{peak} GiB，时间 +{slower}）",
    "way-more-gpus": "用 {gpus} 张并采用 {strategy}[[ 与 {how} 激活重计算]]",
    "way-none": "至少需要 {at_least} 张，而多达 {gpus} 张的集群也没有已知的分法",
    # what would relieve
    "relief-smaller-micro-batch": "微批量 {micro_batch} 可以放下（--micro-batch {micro_batch}）",
    "relief-activation-checkpointing": "激活重计算：省显存，时间约多三分之一",
    "relief-eight-bit-optimizer": "使用 8 位状态的优化器（--optimizer adamw-8bit）",
    "relief-shard": "在各 GPU 间切分（--strategy fsdp）", "relief-more-gpus": "更多 GPU（--gpus N）",
    "relief-adapter": "只训练适配器（--adapter lora:16）", "relief-quantize": "8 位或 4 位权重（--precision int8）",
    "relief-lower-precision": "更窄的数据类型（--precision bf16）", "relief-sixteen-bit-weights": "16 位权重：autocast 仍以 32 位保存（--precision bf16-true 或 fp16-true）", "relief-compile": "torch.compile（--compile）",
    "relief-channels-last": "channels-last 内存布局（--channels-last）",
    "relief-larger-micro-batch": "更大的微批量：最多可放 {micro_batch}", "relief-cuda-graphs": "CUDA graphs",
    "relief-faster-link": "更快的 GPU 互联：机内 NVLink，机间 RDMA",
    "relief-accumulate": "梯度累积：减少每个样本的通信（--batch-size 不变，减小 --micro-batch）",
    "relief-fewer-gpus": "减少 GPU：它们在互相等待", "relief-more-passes": "每步更多的微批量，把流水线填满",
    "relief-faster-storage": "更快的存储：本地 NVMe", "relief-more-workers": "更多的解码进程",
    # storage
    "storage-local-nvme": "本地 NVMe", "storage-block-ssd": "SSD 云盘", "storage-object-store": "对象存储，流式读取",
    "storage-distributed-file-system": "分布式文件系统",
    "storage-of-size_gb": "{value} GB", "storage-of-min_throughput_gb_s": "至少 {value} GB/s", "storage-of-samples_per_second": "每秒 {value} 个样本",
    "storage-of-decode_workers": "{value} 个解码进程", "storage-of-first-copy": "首次拷贝 {value}",
    # assumptions
    "sized-closed-form": "没有跟踪 {model}（{why:whynot}）：只按模型尺寸推算，范围更宽。",
    "sized-shipped-instead": "没有跟踪 {model}（{why:whynot}）：采用了同名预设事先做好的跟踪。",
    "sized-not-used": "对此模型没有影响，未予采用：{names}。",
    "sized-trace-fallback": "跟踪未能覆盖全部：{what:fallback}。",
    "sized-by-parameters": "只知道模型的参数量：计算量和激活都由参数量推算。",
    "sized-anchored": "每步时间以 {gpu} 的实测为准：微批量 {micro_batch} 时 {seconds} 秒，测于 {at}。",
    "sized-anchor-of-processor": "在 {device} 上测得：微批量 {micro_batch} 时 {seconds} 秒。这不能说明 GPU 的情况，未予采用。",
    "fallback-inputs-guessed": "输入是由第一层推测的（可用 --image-size 或 --sequence 说明）",
    "fallback-loss-assumed": "入口函数没有给出损失，采用了常用的一种", "fallback-nothing-to-checkpoint": "模型中没有可以重计算的部分",
    "whynot-not-traced-as-asked": "按 --no-trace 的要求", "whynot-trace-needs-library": "此处没有安装所需的库", "whynot-trace-too-long": "用时过长",
    "whynot-trace-too-large": "占用内存过多", "whynot-trace-died": "跟踪进程意外结束",
    "whynot-architecture-unknown": "transformers 不认识它的类型",
    "whynot-model-reads-values": "模型要读取张量的值",
    "source-of": "来源：{source}",
    # explained
    "term-weights": "权重", "term-buffers": "缓冲", "term-gathered": "收集的单元", "term-autocast-copies": "权重的 16 位副本", "term-gradients": "梯度",
    "term-optimizer": "优化器状态", "term-activations": "激活", "term-cache": "KV 缓存", "term-workspace": "工作区", "term-allocator": "分配器",
    "term-runtime": "CUDA、NCCL", "term-device": "设备上合计", "term-reported": "显卡报告", "term-usable": "可用", "term-step": "一步", "term-mfu": "MFU",
    "term-seconds:conv": "卷积", "term-seconds:matmul": "矩阵乘", "term-seconds:attention": "注意力", "term-seconds:norm": "归一化、softmax",
    "term-seconds:elementwise": "逐元素", "term-seconds:launch": "内核启动", "term-seconds:optimizer": "优化器更新", "term-seconds:communication": "通信",
    "term-seconds:bubble": "流水线空泡", "term-seconds:data": "数据",
    # set-ups and stated needs
    "setup-too-small": "不合理：{machine} 放不下这个任务", "setup-not-for-rent": "租不到：目录中没有 {machine} 的机器",
    "setup-dear": "已不合理：{machine} 的花费是最佳方案的 {ratio} 倍", "setup-sensible": "仍然合理：{machine} 的花费是最佳方案的 {ratio} 倍",
    "setup-unknown": "无法判断：其中一方的花费未知",
    "need-gpus": "GPU", "need-gpu_memory_gib": "显存 GiB", "need-cpus": "CPU 核心", "need-memory_gib": "内存 GiB", "need-storage_gb": "存储 GB",
    "need-own": "任务文件所写",
    "needs-only": "没有给出模型：无法说明时间。请在任务文件中写 `model:`，或用 --model 给出。",
    # calibration
    "calibrated": "此后对该任务的估算以这些步为准：{gpu} 上直接采用，其他 GPU 按比例换算。",
    "calibrated-no-gpu": "在 {device} 上测得，没有 GPU。此后在本机预演会先给出所需时间；但不能说明 GPU 的情况：请在有 GPU 的机器上标定。",
    "calibration-too-short": "{job} 结束（{state}）时测得的步数还不够。步数由 tradewind.training 告知，或写入 TRADEWIND_EVENTS；详见：tradewind show {job}",
}  # fmt: skip
