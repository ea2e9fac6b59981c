"""Chinese: errors about models, traces and questions of size, by code as (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "timm-unknown": (
        "timm 中没有模型 `{model}`",
        "{version} 版不认识这个名称[[；相近的有：{nearest}]]。",
        "请更正名称；timm.list_models('*{stem}*') 可列出已有的模型。",
    ),
    "trace-needs-library": (
        "没有 {library} 就无法追踪这个模型",
        "运行 Tradewind 的环境中没有安装 {library}，或无法导入。",
        "请执行 pip install 'tradewind[trace]'（timm：pip install --no-deps timm），或 --model params:7e9。",
    ),
    "hf-config-missing": (
        "没有配置文件 `{file}`",
        "{why}。",
        "请给出 config.json 或其所在文件夹的路径（相对于工作目录）。",
    ),
    "hf-config-broken": (
        "transformers 无法用 `{file}` 建立模型",
        "{why}",
        "请使用模型权重旁边的 config.json；新的架构可能需要更新的 transformers。",
    ),
    "entrypoint-missing": (
        "找不到入口 `{entrypoint}`",
        "[[没有模块 `{module}`。]][[没有函数 `{function}`；模块中有：{others}。]]",
        "请写成 模块:函数，相对于任务的工作目录。",
    ),
    "entrypoint-not-a-model": (
        "入口 `{entrypoint}` 没有返回模型",
        "返回的是 {got}。",
        "请返回 torch.nn.Module，或（模型, 输入），或（模型, 输入, 损失函数）。",
    ),
    "entrypoint-inputs-unknown": (
        "不知道 `{entrypoint}` 需要什么输入",
        "从第一层 {layer} 看不出来。",
        "请给出 --image-size 或 --sequence，或返回（模型, 输入）：一个样例，或以样本数为参数的函数。",
    ),
    "model-raised": (
        "`{model}` 的代码抛出了错误",
        "{error}[[\n{frames}]]",
        "在 Tradewind 之外同样调用也会出错。",
    ),
    "batch-mismatch": (
        "输入与模型 `{model}` 不匹配",
        "{error}[[\n{frames}]]",
        "请给出 --image-size 或 --sequence，或返回形状正确的输入；第一维是样本数。",
    ),
    "model-calls-cuda": (
        "`{model}` 的代码要求使用 GPU",
        "{error}[[\n{frames}]]",
        "估算不需要 GPU：请返回 CPU 上的模型，在训练脚本中再移动。",
    ),
    "model-reads-values": (
        "`{model}` 的代码依赖张量的数值",
        "追踪时没有数值（{operation}）[[：\n{frames}]]",
        "估算时请去掉该分支，或改为给出参数量：--model params:7e9。",
    ),
    "adapter-nowhere": (
        "模型中没有可加 `{adapter}` 的线性层",
        "适配器加在重复模块的线性层旁。",
        "请不加适配器估算：--adapter none。",
    ),
    "trace-too-long": (
        "追踪 `{model}` 超过 {seconds} 秒，已中止",
        "代码可能不会结束，或模型很深。",
        "请确认建立模型的代码能自行结束；或给出参数量：--model params:7e9，或用 --no-trace。",
    ),
    "trace-too-large": (
        "追踪 `{model}` 占用超过 {gib} GiB 内存，已中止",
        "代码在建立模型时自己填充了很大的张量。",
        "请不要在入口函数中加载权重和数据；或给出参数量：--model params:7e9，或用 --no-trace。",
    ),
    "trace-died": (
        "追踪模型的进程没有给出结果就结束了（代码 {exit_code}）",
        "[[最后的输出：{said}]]",
        "模型的代码可能结束了进程；或给出参数量：--model params:7e9，或用 --no-trace。",
    ),
    "flags-unreadable": ("所问内容无法读取；错误数：{count}", "", "`tradewind size --help` 说明每个选项的取值。"),
    "model-reference-unreadable": ("[[`{key}`：]]`{text}` 不是模型。[[是否指 `{nearest}`？]]", "可写：{choices}。", ""),
    "preset-unknown": (
        "没有名为 `{name}` 的预设。[[是否指 {nearest}？]]",
        "[[可选：{known}。]]",
        "请用其中之一，或用模型库中的模型：timm:{name}",
    ),
    "profile-unknown": (
        "[[`{key}`：]]没有名为 `{name}` 的配置。[[是否指 `{nearest}`？]]",
        "可选：{known}。",
        "tradewind size --model profile:small-cv",
    ),
    "image-size-unreadable": ("`{key}`：`{text}` 不是图像尺寸。", "请写 224，或 通道x高x宽：3x224x224。", ""),
    "adapter-unreadable": ("`{key}`：`{text}` 不是适配器。", "请写 none、lora:R 或 qlora:R，R 为秩。", ""),
    "nodes-unreadable": ("`{key}`：`{text}` 不是机器台数。", "", "请写整数，如 2"),
    "ladder-unreadable": ("`{key}`：`{text}` 不是微批大小的列表。", "", "请写整数，如 512,384,256"),
    "nodes-indivisible": (
        "{gpus} 块 GPU 无法平均分到 {nodes} 台机器",
        "--gpus 是所有机器上 GPU 的总数。",
        "请让 --gpus 是 --nodes 的倍数。",
    ),
    "architecture-unknown": (
        "transformers 没有模型类型 `{architecture}`",
        "安装的是 {version} 版[[；相近的：{nearest}]]。",
        "请改正配置中的 model_type，或安装支持它的 transformers。",
    ),
    "row-unreadable": ("批量文件中有一行无法读取", "{why}", "每行写一个 JSON 对象。"),
    "row-not-object": ("批量文件中有一行不是 JSON 对象", "", '请写 {"model": "preset:resnet50", "gpu": "A10"}'),
    "row-crashed": ("批量文件中有一行使程序出错：{kind}", "{text}", "请连同该行报告；其余各行都有答案。"),
    "batch-file-with-flags": (
        "--batch-file 须单独使用，但还给出了：{names}",
        "每一行自己说明一切。",
        "请把它们写进各行，键名用 _。",
    ),
    "batch-file-missing": ("没有这个文件：{path}", "", "请检查路径，或写 - 从管道读取。"),
    "batch-file-unreadable": ("{path} 无法读取", "{why}", "请写成 UTF-8 文本，每行一个 JSON 对象。"),
    "config-missing": ("没有这个文件：{path}", "hf: 后面写 config.json 的路径，或其所在文件夹。", "请检查路径。"),
    "config-unreadable": ("{path} 不是模型的配置", "{why}", "请给出模型自带的 config.json。"),
    "not-traced-as-asked": (
        "这个模型只能通过跟踪来估算",
        "跟踪已关闭（--no-trace），又没有预设或尺寸可用。",
        "请去掉 --no-trace，或给出 --model params:7e9。",
    ),
    "calibration-batch-unknown": (
        "没有批量大小，一步说明不了什么",
        "任务文件没有给出批量大小。",
        "请添加 `training: {batch_size: 64}`。",
    ),
    "adapter-unknown": ("没有名为 `{adapter}` 的适配器", "可选：{known}。", "请给出其中之一，并写明秩 R。"),
    "checkpointing-unknown": ("没有名为 `{checkpointing}` 的激活重计算方式", "可选：{known}。", "请给出其中之一。"),
    "config-unknown": (
        "配置没有以已知的名称给出层数、宽度和头数（{architecture}）",
        "[[相近的：{nearest}。]]已知：{known}。",
        "请安装 `tradewind[trace]`，或给出参数量：--model params:7e9",
    ),
}
