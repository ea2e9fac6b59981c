"""中文：按代码列出的错误，（发生了什么，原因，下一步）。任务文件中的错误只有前两项。"""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "catalog-not-kept": (
        "目录没有任何改动",
        "无法写入 {path}：{cause}。",
        "请腾出磁盘空间，或将 TRADEWIND_HOME 设为可写的文件夹。",
    ),
    "residency-nowhere": (
        "没有云在 `{text}` 设有地域",
        "可选：EU, EEA, {known}。",
        "请用 {key} 给出其一；`tradewind catalog regions` 列出各地域所在。",
    ),
    # GPU、地点、购买方式
    "gpu-unknown": ("[[`{key}`：]]没有名为 `{name}` 的 GPU。", "", "[[相近的名称：{nearest}。]]"),
    "gpu-ambiguous": ("[[`{key}`：]]`{name}` 可能指多种 GPU。", "", "[[请指明：{nearest}。]]"),
    "gpu-count-unreadable": ("[[`{key}`：]]`{text}` 中的 `{count}` 不是 GPU 数量。", "", "请写 名称:8 或 名称:1..8。"),
    "cloud-unknown": ("没有名为 `{name}` 的云", "[[相近的名称：{nearest}。]]", "见 `tradewind offers`。"),
    "region-unknown": ("没有名为 `{name}` 的地域", "[[相近的名称：{nearest}。]]", "见 `tradewind offers`。"),
    "purchase-unknown": ("没有 `{name}` 这种购买方式", "可选：{known}。", "请用 --purchase 给出其一。"),
    # 目录
    "option-choice-unknown": ("{option} 没有 `{name}` 这个取值", "可选：{known}。", "请用 {option} 给出其一。"),
    "cuda-unreadable": ("`{text}` 不是 CUDA 版本", "", "请写 12 或 12.4。"),
    "csv-with-json": ("--csv 与 --json 不能同时使用", "", "请只用其一。"),
    "place-unknown": (
        "没有名为 `{name}` 的地点",
        "[[相近的名称：{nearest}。]]",
        "请给出城市、地域（`tradewind catalog regions`）或 纬度,经度：39.9,116.4。",
    ),
    "place-ambiguous": ("`{name}` 可能是多个地点。", "", "请说明是哪一个：{nearest}。"),
    "machine-unknown": (
        "没有名为 `{name}` 的机型、规格族或 GPU",
        "[[相近的名称：{nearest}。]]",
        "`tradewind catalog gpus` 列出 GPU，`tradewind offers` 列出机型。",
    ),
    "currency-unknown": (
        "没有 `{name}` 的汇率",
        "可选：{nearest}。",
        "请给出其一，或把汇率写入 own-rates.csv（docs/catalog.md）。",
    ),
    "gpu-count-unknown": (
        "没有机型恰好有 {count} × {gpu}",
        "",
        "[[相近的：{nearest}。]]用范围可找到更多：名称:1..8。",
    ),
    "rates-not-answered": (
        "无法获取当天汇率",
        "{words}",
        "`tradewind catalog rates` 列出的汇率继续有效；稍后再试，或填写自己的汇率。",
    ),
    "rates-implausible": (
        "收到的汇率不可信",
        "{pair} 报为 {told}；{known_as_of} 为 {known}。",
        "原有汇率继续有效；若属实，请写入 own-rates.csv。",
    ),
    "rates-unreadable": ("无法读取您的汇率：{path}", "{cause}", "列名为 base、quote、value、as_of、source。"),
    "rent-or-buy-unusable": (
        "无法比较租用与购买",
        "{why:unusable}。",
        "tradewind catalog compare --help 说明了各选项。",
    ),
    "own-name-unusable": ("`{name}` 不能作为价格的名称", "", "可用字母、数字、点和连字符，至多 60 个：--as 名称。"),
    "own-file-unreadable": ("文件无法读取：{path}", "{cause}", "请给出 CSV 文件的路径。"),
    "own-prices-faulty": (
        "{file} 有 {count} 处错误：什么都没有加入",
        "",
        "请改正这些行后重新添加；docs/catalog.md 有示例。",
    ),
    "own-empty": ("没有任何价格。", "", "列名之下，每行一个价格。"),
    "own-not-utf8": ("不是 UTF-8 编码。", "", "请另存为 UTF-8 的 CSV。"),
    "own-not-csv": ("不是 CSV（{cause}）。", "", "请另存为逗号分隔的 CSV。"),
    "own-column-unknown": ("没有名为 `{column}` 的列。", "", "[[是否指：{nearest}？]]请改名或删除。"),
    "own-column-missing": ("缺少列 `{column}`。", "", "可用的列：{known}。"),
    "own-column-twice": ("列 `{column}` 出现两次。", "", "请删除其一。"),
    "own-row-short": ("有 {cells} 个单元格，应为 {wanted} 个。", "", "含逗号的单元格请加引号。"),
    "own-row-twice": ("第 {first} 行已有同一项的价格。", "", "请删除其一。"),
    "own-value-missing": ("`{column}` 为空。", "", "请填写。"),
    "own-cloud-unknown": ("没有名为 `{name}` 的云。", "", "[[相近的：{nearest}。]]"),
    "own-region-unknown": ("该云没有地域 `{name}`。", "", "[[相近的：{nearest}。]]"),
    "own-machine-unknown": ("该云没有机型 `{name}`。", "", "[[相近的：{nearest}。]]"),
    "own-purchase-unknown": ("没有 `{name}` 这种购买方式。", "", "[[相近的：{nearest}。]]"),
    "own-currency-unknown": ("没有 `{name}` 的汇率。", "", "[[相近的：{nearest}。]]"),
    "own-price-unreadable": ("`{text}` 不是价格。", "", "请写带小数点的正数，不带货币：12.50。"),
    "own-date-unreadable": ("`{text}` 不是日期。", "", "请写 2026-11-21、2026-11 或 2026。"),
    "extra-missing": ("无法询问 {cloud}：未安装其 SDK", "没有模块 {module}。", 'pip install "tradewind[{cloud}]"'),
    "site-unknown": (
        "{cloud} 没有站点 `{name}`",
        "{setting} 这样设置。是否想写 `{nearest}`？",
        "请把 {setting} 设为其一：{choices}",
    ),
    "prices-not-allowed": (
        "{cloud} 不允许查询价格",
        "{words}",
        "请用该云自己的工具登录，或设置其凭证；docs/catalog.md 说明了所需权限。",
    ),
    "prices-not-answered": (
        "{cloud} 没有应答",
        "{words}",
        "请稍后再试：tradewind catalog refresh --cloud {cloud} 会从中断处继续。",
    ),
    "prices-not-understood": ("{cloud} 的应答不符合其公布的格式", "{words}", "其价格保持原样。请附上本行报告给我们。"),
    "prices-clock-wrong": ("{cloud} 拒绝应答，因为本机时钟不准", "{words}", "请校准时钟后重新刷新。"),
    "refresh-already-runs": ("另一个进程正在刷新 {cloud}", "", "请等它结束；`tradewind catalog list` 会显示何时完成。"),
    "refresh-not-kept": ("得到的内容无法保存到 {path}", "{cause}", "请腾出空间；下次刷新会从中断处继续。"),
    "refresh-nothing-told": (
        "{cloud} 没有给出任何已知机型的价格",
        "",
        "其价格保持原样。请确认账号有权查看，再重新刷新。",
    ),
    "refresh-not-positive": (
        "{cloud} 给出了 {count} 个不大于零的价格",
        "首个为 {region} 的 {instance_type}：{price}。",
        "其价格保持原样。请稍后重新刷新。",
    ),
    "refresh-told-twice": ("{cloud} 有 {count} 项给出了两个价格", "", "其价格保持原样。请稍后重新刷新。"),
    "refresh-currency-changed": (
        "{cloud} 有 {count} 个价格换了货币（原为 {old}）",
        "首个为 {region} 的 {instance_type}：{price}。",
        "其价格保持原样。请确认账号所属站点。",
    ),
    "refresh-half-gone": (
        "{cloud} 只给出原有 {before} 个价格中的 {left} 个：一半以上不见了",
        "",
        "其价格保持原样。请稍后重新刷新。",
    ),
    "refresh-off-by-ten": (
        "{cloud} 给出的 {count} 个价格，中位数是原有的 {ratio} 倍",
        "市场不会一下子变动这么多：单位或货币变了。",
        "其价格保持原样。请稍后重新刷新。",
    ),
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
        "任务文件没有给出模型，也没有给出参数量[[（model：{model}）]]。",
        "请添加 `model: {preset: resnet50}` 或 `model: {parameters: 7e9}`，"
        "或写明机器要求：`resources: {accelerators: A10}`。",
    ),
    "needs-unknown": (
        "任务文件没有说明任务需要什么",
        "其中既没有模型，也没有资源。[[在 {device} 上测得的结果不能说明 GPU。]]",
        "请在 {file} 中添加一行：`resources: {accelerators: A10}`，或 `model: {preset: resnet50}`。"
        "也可以在有 GPU 的计算机上实测几步[[（请先添加 `{batch}`）]]：tradewind calibrate {file}",
    ),
    "length-unknown": (
        "不知道训练有多长",
        "缺少批大小、样本数或轮数。",
        "请添加 `training: {batch_size: 64, samples: 50000, epochs: 10}`。",
    ),
    "nothing-fits": (
        "没有满足此任务的报价",
        "方案中写明了各项限制排除了多少报价。",
        "请按方案建议放宽一项；`tradewind plan {file}` 可再次查看。",
    ),
    "page-unwritable": (
        "无法将网页写入 `{path}`",
        "系统提示：{why}。",
        "请给出已有目录中的文件：--html plan.html",
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
    "time-scale-unreadable": (
        "--time-scale:`{text}` 不是时间比例",
        "",
        "请给出 auto，或大于 0 且不超过 {most} 的数：--time-scale 60",
    ),
    "counts-unreadable": ("[[`{key}`：]]`{text}` 不是 GPU 数量。", "", "请写 8，或范围 1..8"),
    "secret-missing": (
        "`secrets`：不知道 {names} 的值",
        "它的值取自您的环境变量，或取自钥匙串。",
        "请设置后重新运行：export {first}=…，或 keyring set tradewind {first}。",
    ),
    "no-cloud-configured": (
        "没有配置任何云，无法租用",
        "此安装不知道任何云账号，也不知道您的任何机器。",
        "免费预演：tradewind run {file} --rehearse；在本机运行：--local；"
        "或在自己的机器上：tradewind machines add USER@HOST；各云还缺什么：tradewind clouds",
    ),
    "limit-missing": (
        "--yes 会不经询问就花钱，但没有上限",
        "既没有 budget.limit，也没有 --max-cost。",
        '请添加 --max-cost "30 CNY"，或 `budget: {limit: 30 CNY}`。',
    ),
    "extend-nothing": (
        "{job} 没有要更改的内容",
        "既没有给出预算，也没有给出截止时间。",
        "请给出 --budget、--deadline 或两者。",
    ),
    "extend-ended": (
        "{job} 无法延长：{state:state}",
        "已结束的任务不再改变。",
        "请重新提交；若设置了 `checkpoint.store`，会从检查点继续。",
    ),
    "extend-no-price": ("{job} 无法设置预算", "它所用的机器没有价格。", "请只给出 --deadline。"),
    "extend-mixed-currencies": (
        "现在无法为 {job} 设置预算",
        "除 {currency} 外它还以其他货币租用过。",
        "请只给出 --deadline，或在提交时给出预算。",
    ),
    "deadline-over": (
        "截止时间 {deadline} 已过",
        "按任务自己的时间现在是 {now}。",
        "请给出更晚的时间：时长从提交时算起。",
    ),
    "budget-not-limiting": (
        "预算并不限制 {job}",
        "在截止时间之前它可以超出预算（`budget.on_limit`）。",
        "请改截止时间。",
    ),
    "budget-too-small": (
        "预算 {budget} 太小",
        "已花 {spent}，另为运行中的机器预留 {held} 直到其硬性终点。",
        "请给出超过两者之和的预算，或停止任务。",
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
        "请排除任务不需要的内容：在 {path}/.gitignore 中写一行，如 `{first}`。任务读取的数据应放在 `data`。",
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
    "supervisor-not-starting": (
        "守护进程无法启动",
        "[[{why}]]",
        "请按 {log} 末尾的说明修复；下一条命令会再次启动它，已提交的任务随后继续。",
    ),
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
    "home-unusable": (
        "Tradewind 的主目录无法使用：{path}",
        "{why}。",
        "请把 TRADEWIND_HOME 设为可写的文件夹：export TRADEWIND_HOME=/某个/文件夹（现为 {home}）。",
    ),
    "disk-full": (
        "磁盘已满[[：{path}]]",
        "{why}。",
        "请在输出所在处[[和 {home} ]]腾出空间后重试；已提交的任务会继续。",
    ),
    "interrupted": ("已中断", "", "之前提交的任务会继续：tradewind ps"),
    "python-incomplete": (
        "此 Python 缺少标准库的一部分：{module}",
        "{why}（{python}）",
        "请使用包含它的 Python：系统自带、python.org 或 conda 的版本。"
        "从源码编译的 Python 需要先安装 SQLite、OpenSSL 和 zlib 的头文件。",
    ),
    "package-missing": (
        "缺少 Tradewind 需要的包：{module}",
        "{why}（{python}）",
        "请重新安装 Tradewind：{python} -m pip install --force-reinstall tradewind",
    ),
    "folder-gone": ("您所在的文件夹已不存在", "它被移动或删除了。", "请进入其他文件夹：cd"),
    "home-nowhere": (
        "不知道您的主目录在哪里：{path}",
        "没有设置 HOME，或没有这个用户。",
        "请指定 Tradewind 保存状态的位置：export TRADEWIND_HOME=/某个/文件夹",
    ),
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
    "command-unknown": ("没有名为 `{name}` 的命令", "[[是否指：{nearest}？]]", "tradewind --help 列出所有命令。"),
    "option-unknown": ("`{command}` 没有选项 {name}", "[[是否指：{nearest}？]]", "{command} --help 列出所有选项。"),
    "parameter-missing": ("缺少 {name}", "", "{command} --help 说明了它的含义。"),
    "parameter-unreadable": ("{name} 无法使用", "{why}", "{command} --help 说明了它的取值。"),
    "command-line-unreadable": ("无法读懂命令行", "{why}", "{command} --help"),
}
