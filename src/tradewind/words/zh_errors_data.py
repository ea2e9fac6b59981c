"""中文：按代码列出的错误，（发生了什么，原因，下一步）。任务文件中的错误只有前两项。"""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    # 任务文件：文件本身
    "job-file-missing": ("没有这个文件：{path}", "", "请检查路径，或新建一个：唯一必填的键是 `run`。"),
    "job-file-is-folder": ("{path} 是文件夹", "这里需要任务文件。", "请给出文件：{path}/job.yaml"),
    "job-file-unreadable": ("无法读取 {path}", "{why}", "请检查读取权限。"),
    "job-file-too-large": (
        "{path} 超过 {limit_mb} MB",
        "任务文件通常只有几十行。",
        "请检查路径：数据和代码应放在 `workdir` 中。",
    ),
    "job-file-not-text": ("{path} 不是 UTF-8 文本", "第 {byte} 字节不是任何字符的开头。", "请另存为 UTF-8。"),
    "job-file-empty": ("任务文件没有内容", "其中没有任何键。", "至少写上 `run: python train.py`。"),
    "job-file-not-mapping": (
        "任务文件不是键值结构",
        "它以列表或纯文本开头。",
        "请写成键值：`run: python train.py`。",
    ),
    "job-invalid": (
        "[[{file}：]]任务无法读取，共 {count} 处错误",
        "",
        "请全部改正；所有的键见 docs/job-file.md。",
    ),
    "yaml-tab": ("此处是制表符，YAML 需要空格", "YAML 只用空格缩进。", "请把制表符换成空格。"),
    "yaml-many-documents": ("文件中有多个文档", "`---` 开始了另一个文档。", "每个文件只写一个任务。"),
    "yaml-unreadable": ("这不是 YAML", "{problem}", "请改正该行；含有 `: ` 或 `#` 的文本需要加引号。"),
    "yaml-too-deep": ("任务文件嵌套过深", "", "任务文件最多三层。"),
    "yaml-too-large": ("展开别名后，任务文件超过 {limit} 个值", "", "请直接写出值，不要使用 `*`。"),
    # 任务文件：键与值
    "key-unknown": ("`{key}`：没有这个键。[[是否指 `{nearest}`?]]", "", ""),
    "key-missing": ("缺少 `{key}`。", "", ""),
    "key-twice": ("`{key}` 出现了两次。", "第一次在第 {first} 行。", ""),
    "key-not-text": ("有一个键不是文本。", "[[它在 `{key}` 中。]]", ""),
    "type-wrong": ("`{key}`：需要{wanted:kind}，而不是{got:kind}。", "", ""),
    "number-out-of-range": ("`{key}`:{value} 超出范围。", "必须 {limit}。", ""),
    "value-empty": ("`{key}` 为空。", "", ""),
    "value-wrong": ("`{key}` 无法使用。", "{why}", ""),
    "choice-unknown": ("[[`{key}`：]]`{value}` 不在可选值之中。[[是否指 `{nearest}`?]]", "可选值：{choices}。", ""),
    "name-unusable": ("`{key}`：名称无法使用。", "名称为 1 到 {limit} 个字符，不含 / 和 \\。", ""),
    "env-name-unusable": ("`{key}`：`{text}` 不是变量名。", "只能用字母、数字和 _，且不以数字开头。", ""),
    "image-unreadable": ("`{key}`：`{text}` 不是镜像。", "请写 docker:镜像 或 machine:名称。", ""),
    "residency-unreadable": ("`{key}`：`{text}` 不是地区。", "请写两个字母的国家代码（CN、DE）、EU 或 EEA。", ""),
    "duration-unreadable": ("[[`{key}`：]]`{text}` 不是时长。", "", "请写数字加单位：12h、90m、2d、15s、1h30m。"),
    "instant-unreadable": ("[[`{key}`：]]`{text}` 不是时刻。", "", "请写成 2026-11-22T08:00+08:00，或写时长：12h。"),
    "instant-without-zone": (
        "[[`{key}`：]]`{text}` 没有时区。",
        "",
        "请加上时区：UTC 写 `{text}Z`，北京时间写 `{text}+08:00`。",
    ),
    "preempt-at-unreadable": (
        "[[`{key}`：]]`{text}` 不是抢占时间。",
        "",
        "请写小于 100 % 的比例或时间：25%,60% 或 15s,35s。",
    ),
    "every-unreadable": ("`{key}`：`{text}` 不是间隔。", "", "请写 auto、时长（5s）或步数（200 steps）。"),
    "money-unreadable": ("[[`{key}`：]]`{text}` 不是金额。", "", "请写数额和币种：300 CNY 或 45.50 USD。"),
    "model-sources-many": ("`{key}` 指定了多个模型。", "请保留其一：{given}。", ""),
    "model-source-missing": (
        "`{key}` 没有指定模型。",
        "请添加其一：parameters、preset、timm、hf、entrypoint。",
        "",
    ),
    "secret-in-env": ("`{key}` 是密钥，不能写在文件里。", "它的值取自您的环境变量。", ""),
    # GPU、地点、购买方式
    "gpu-unknown": ("[[`{key}`：]]没有名为 `{name}` 的 GPU。", "", "[[相近的名称：{nearest}。]]"),
    "gpu-ambiguous": ("[[`{key}`：]]`{name}` 可能指多种 GPU。", "", "[[请指明：{nearest}。]]"),
    "gpu-count-unreadable": ("[[`{key}`：]]`{text}` 中的 `{count}` 不是 GPU 数量。", "", "请写 名称:8 或 名称:1..8。"),
    "cloud-unknown": ("没有名为 `{name}` 的云", "[[相近的名称：{nearest}。]]", "见 `tradewind offers`。"),
    "region-unknown": ("没有名为 `{name}` 的地域", "[[相近的名称：{nearest}。]]", "见 `tradewind offers`。"),
    "purchase-unknown": ("没有 `{name}` 这种购买方式", "可选：{known}。", "请用 --purchase 给出其一。"),
    # 估算与规划
    "optimizer-unknown": ("没有名为 `{optimizer}` 的优化器", "可选：{known}。", "请给出其一。"),
    "strategy-unknown": ("没有名为 `{strategy}` 的并行策略", "可选：{known}。", "请给出其一。"),
    "batch-indivisible": (
        "批大小 {batch_size} 无法按微批 {micro_batch} 分到 {gpus} 块 GPU 上",
        "全局批大小 = 微批 × GPU 数 × 梯度累积。",
        "请修改 --batch-size、--micro-batch 或 --gpus。",
    ),
    "model-unknown": (
        "不知道模型有多大",
        "任务文件没有给出参数量[[（model：{model}）]]。",
        "请添加 `model: {parameters: 7e9}`；PyTorch 中可用 sum(p.numel() for p in model.parameters()) 求得。",
    ),
    "length-unknown": (
        "不知道训练有多长",
        "缺少批大小、样本数或轮数。",
        "请添加 `training: {batch_size: 64, samples: 50000, epochs: 10}`。",
    ),
    "nothing-fits": (
        "没有满足此任务的报价",
        "方案中写明了各项限制排除了多少报价。",
        "请按方案建议放宽一项；`tradewind plan JOB.yaml` 可再次查看。",
    ),
    "size-of-nothing": (
        "没有可估算的内容",
        "既没有给出任务文件，也没有给出模型。",
        "请给出文件或模型：tradewind size --model params:7e9 --batch-size 8 --gpu A100-80GB",
    ),
    # 运行
    "rehearse-and-local": (
        "--rehearse 与 --local 不能同时使用",
        "预演在本机运行，但按计划中的报价计价；--local 只是在本机运行。",
        "请保留其一。",
    ),
    "preempt-without-rehearse": ("--preempt-at 需要 --rehearse", "只有预演才会注入抢占。", "请加上 --rehearse。"),
    "time-scale-unreadable": ("--time-scale:`{text}` 不是时间比例", "", "请给出 auto，或大于 0 的数：--time-scale 60"),
    "counts-unreadable": ("`{text}` 不是 GPU 数量", "", "请写 8，或范围 1..8"),
    "secret-missing": ("任务的密钥没有值：{names}", "它的值取自您的环境变量。", "请设置后重新运行：export NAME=…"),
    "no-cloud-configured": (
        "没有配置任何云，无法租用",
        "此安装不知道任何云账号。",
        "免费预演：tradewind run JOB.yaml --rehearse；或在本机运行：--local",
    ),
    "limit-missing": (
        "--yes 会不经询问就花钱，但没有上限",
        "既没有 budget.limit，也没有 --max-cost。",
        '请添加 --max-cost "30 CNY"，或 `budget: {limit: 30 CNY}`。',
    ),
    "limit-not-convertible": (
        "上限 {money} 无法与以 {currency} 计的价格比较",
        "两者之间的汇率未知。",
        "请以 {currency} 给出上限。",
    ),
    "nobody-to-ask": (
        "此次运行要花钱，但无人可问",
        "没有终端，也没有给出 --yes。",
        '请添加 --yes 和 --max-cost "30 CNY"，或在终端中运行。',
    ),
    "not-agreed": ("没有租用任何东西", "您没有同意。", "免费尝试：--rehearse"),
    "workdir-missing": ("工作目录不存在：{path}", "它相对于任务文件。", "请改正 `workdir`。"),
    "workdir-too-large": (
        "工作目录 {path} 太大，无法发送：{files} 个文件，{size}",
        "最大的文件夹：{largest}。",
        "请写入 .gitignore；数据应放在 `data`。",
    ),
    "workdir-unreadable": ("工作目录中有文件无法读取：{path}", "{why}", "请改为可读，或忽略它。"),
    "job-unknown": ("没有名为 `{name}` 的任务", "[[最近的任务：{known}。]]", "tradewind ps --all 列出所有任务。"),
    "job-ambiguous": ("有多个任务以 `{name}` 开头", "{jobs}", "请给出更长的编号。"),
    "id-unknown": ("没有名为 `{name}` 的任务或租约", "", "tradewind ps --all 和 tradewind leases --all 会列出它们。"),
    "id-ambiguous": ("有多个任务或租约以 `{name}` 开头", "{ids}", "请给出更长的编号。"),
    "wait-timeout": (
        "{seconds} 秒后任务 {job} 仍在继续",
        "等待到时，任务没有停。",
        "tradewind wait {job}，或 tradewind logs -f {job}",
    ),
    "listing-incomplete": (
        "有些地方无法列出：{places}",
        "那里租用了什么尚不清楚。",
        "请重试；tradewind sweep 会逐一列出。",
    ),
    # 守护进程的服务
    "service-not-ours": (
        "服务的位置上有别人的文件：{path}",
        "它不是 `tradewind supervisor install` 写的。",
        "请查看并移走它，然后重新安装。",
    ),
    "service-command-failed": (
        "服务管理器拒绝了：{command}",
        "[[{why}]]",
        "文件是 {path}；请手动尝试该命令，或用 `tradewind supervisor` 查看。",
    ),
    "service-database-url": (
        "数据库由 TRADEWIND_DATABASE 指定时不能安装服务",
        "其地址可能含有密码，而服务文件不含密码。",
        "取消设置 TRADEWIND_DATABASE，即可为主目录的数据库安装。",
    ),
    "print-without-install": (
        "--print 只用于 install",
        "{action} 没有可打印的文件。",
        "tradewind supervisor install --print",
    ),
    # 本机
    "home-not-a-folder": ("TRADEWIND_HOME 不是文件夹：{home}", "", "请指向一个文件夹，或取消设置。"),
    "catalog-home-unwritable": ("目录无法写入 {path}", "{cause}", "请腾出空间，或把 TRADEWIND_HOME 设到别处。"),
    "language-unknown": ("没有 `{text}` 的文字", "", "请给出其一：{choices}"),
    "crashed": (
        "Tradewind 出错了：这是我们的缺陷（{kind}）",
        "[[{text}]]",
        "详情在 {path}；任务和租约不受影响：tradewind ps、tradewind leases",
    ),
    # 数据库
    "database-full": ("数据库所在的磁盘已满：{path}", "{why}", "请在那里腾出空间，然后重试。"),
    "database-busy": ("数据库正忙：{path}", "{why}", "请稍后重试。"),
    "database-unavailable": ("无法访问数据库：{path}", "{why}", "请检查它是否存在、是否可写，然后重试。"),
    "database-damaged": (
        "数据库已损坏：{path}",
        "{why}。没有覆盖任何内容。",
        "请把它移到别处并恢复备份[[；有一份在 {backup}]]。已租用的资源仍会按其强制截止时间结束。",
    ),
    "database-newer": (
        "数据库由更新版本的 Tradewind 写成：{path}",
        "它的修订号是 {revision}；本程序最高支持 {newest}。",
        "请重新安装较新的版本[[；较旧的备份在 {backup}]]。",
    ),
    "database-on-network-fs": (
        "数据库会放在网络文件系统上：{path}",
        "{mount} 是 {kind}；SQLite 的锁在多台计算机之间无效。",
        "请把 TRADEWIND_HOME 设为本地磁盘上的文件夹。",
    ),
    "database-backup-failed": (
        "数据库没有升级：备份无法写入 {path}",
        "{why}",
        "请在那里腾出空间，然后重试；没有更改任何内容。",
    ),
    "database-url-unusable": (
        "数据库地址无法使用",
        "[[它以 {scheme} 开头。]]",
        "请写成 postgresql://USER@HOST/NAME。",
    ),
    "database-driver-missing": ("没有安装 PostgreSQL 驱动", "缺少模块 {module}。", 'pip install "tradewind[server]"'),
    # 命令行
    "command-unknown": ("没有名为 `{name}` 的命令", "[[是否指：{nearest}?]]", "tradewind --help 列出所有命令。"),
    "option-unknown": ("`{command}` 没有选项 {name}", "[[是否指：{nearest}?]]", "{command} --help 列出所有选项。"),
    "parameter-missing": ("缺少 {name}", "", "{command} --help 说明了它的含义。"),
    "parameter-unreadable": ("{name} 无法使用", "{why}", "{command} --help 说明了它的取值。"),
    "command-line-unreadable": ("无法读懂命令行", "{why}", "{command} --help"),
}
