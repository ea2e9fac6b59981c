"""The references' own words, by page and language; everything else on them is the program's."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Every command",
        "intro": "Made from the commands themselves; `tradewind COMMAND --help` shows the same in a terminal. 中文：[全部命令](zh/cli.md).\n\n"
                 "`--lang en|zh` and `--plain` may stand anywhere on the line. What `--json` answers, and the exit codes:\n"
                 "[contracts](contracts.md).",
        "beside": "Beside these",
        "option": "option", "argument": "argument", "meaning": "meaning", "usage": "Usage", "several": "commands",
    },
    "zh": {
        "title": "全部命令",
        "intro": "由命令本身生成；在终端里，`tradewind COMMAND --help` 显示同样的内容。English: [every command](../cli.md).\n\n"
                 "`--lang en|zh` 与 `--plain` 可以放在命令行的任何位置。`--json` 的回答与退出码：[约定](../contracts.md)（英文）。",
        "beside": "其他",
        "option": "选项", "argument": "参数", "meaning": "含义", "usage": "用法", "several": "命令",
    },
}  # fmt: skip
ERRORS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Errors by code",
        "intro": "Every error has a code that stays the same, and says what happened, why, and what to do next. `--json`\n"
                 "answers `{\"error\": {\"code\", …}}`. What stands in ‹brackets› is filled in. This page is made from the program's own sentences.\n"
                 " [Troubleshooting](troubleshooting.md) begins with what one sees. 中文：[按代码列出的错误](zh/errors.md).",
        "kinds": "Kinds", "codes": "Codes", "kind": "kind", "exit": "exit code", "status": "HTTP status", "again": "again later?",
        "means": "means", "yes": "yes", "no": "no", "next": "Next", "in_file": "a fault of a job file",
    },
    "zh": {
        "title": "按代码列出的错误",
        "intro": "每个错误都有不变的代码，并说明发生了什么、原因、下一步。`--json` 回答 `{\"error\": {\"code\", …}}`。\n"
                 "‹括号›中的内容在出错时填入。本页由程序自身的句子生成。English: [errors by code](../errors.md).",
        "kinds": "类别", "codes": "代码", "kind": "类别", "exit": "退出码", "status": "HTTP 状态", "again": "可重试？",
        "means": "含义", "yes": "是", "no": "否", "next": "下一步", "in_file": "任务文件中的错误",
    },
}  # fmt: skip
ERROR_KINDS_ZH = {
    "TradewindError": "我们的缺陷，除非下级类别另有规定", "BadInput": "给出的内容无法使用", "NotFound": "没有这个任务、租约、报价或文件",
    "NothingFits": "没有报价、GPU 或地点满足要求", "NotConfigured": "缺少所需的云或设置", "NotTraceable": "无法在本机追踪模型：缺少库，或耗时过长",
    "CloudRefused": "云拒绝，或无法询问", "Unavailable": "数据库暂时无法读写：已满、繁忙、重启中或不可达", "TimedOut": "等待超时；所等之事继续进行",
}  # fmt: skip
KEYS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Every key of the job file", "required": "required", "default": "default", "example": "for example",
        "top": "The job", "comma": " · ", "colon": ": ",
        "intro": "The keys in the order of the file. [The job file](job-file.md) explains how they work together; this page is made\n"
                 "from the models that read it. A key of a section is written with a dot here and as a mapping in the file:\n"
                 "`training.batch_size` is `training: {batch_size: 256}`. 中文：[任务文件的每个键](zh/job-file-keys.md).",
    },
    "zh": {
        "title": "任务文件的每个键", "required": "必填", "default": "默认", "example": "例如", "top": "任务", "comma": " · ",
        "intro": "各键按文件中的顺序列出，由读取文件的模型生成；[任务文件](../job-file.md)（英文）说明它们如何配合。小节中的键在这里以点连接，\n"
                 "在文件中写作映射：`training.batch_size` 即 `training: {batch_size: 256}`。English: [every key](../job-file-keys.md).",
    },
}  # fmt: skip
