"""Chinese: the first job file: its comments, the questions before it, what was seen, what comes next."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    # the file
    "job-file-head": "Tradewind 要运行什么、需要什么、限制是什么。由 `tradewind init` 根据本文件夹的内容写成，可随意修改。被注释掉的内容是示例。",
    "job-file-commands": "tradewind plan job.yaml             在哪里、何时结束、多少钱；不花钱\n"
    "tradewind run job.yaml --rehearse   在这台电脑上真实运行，如同在租来的机器上",
    "job-file-more": "还有更多的键，例如 data、placement、image、env、secrets、ports：`tradewind init --schema` 有全部说明。",
    "seen-in": "见于 {place}",
    # questions
    "ask-overwrite": "{path} 已经存在。要覆盖吗？[y/N]",
    "ask-which-command": "哪条命令是训练？请输入序号或另一条命令；直接回车取第一条。",
    "ask-command": "这里没有看到训练脚本。哪条命令是训练？（例如：python train.py）",
    "ask-resources-accelerators": "没有看到模型。要哪种 GPU，多少块？（A10:1、A100-80GB:1..8；回车：还不知道）",
    "ask-schedule-deadline": "必须在多长时间内结束？（12h、2d；回车：没有期限）",
    "ask-budget-limit": "最多可以花多少钱？（300 CNY、40 USD；回车：没有上限）",
    # what came of it
    "init-written": "{path} 已写好。",
    "init-copied": "示例 {example} 已放在 {path}：{files}",
    "init-given": "您给出的",
    "init-next": "下一步",
    "init-missing": "没有看到、在文件里以示例形式给出的键：{keys}",
    "init-others": "其他可能是训练的命令：{commands}",
    "init-packages": "这个 Python 里没有安装、而示例需要的包：pip install {packages}",
    "init-model-missing": "既没有模型也没有 GPU：计划需要 `model`、`resources`，或用 `tradewind calibrate job.yaml` 测量。",
    "init-step-plan": "在哪里、何时结束、多少钱",
    "init-step-rehearse": "在这台电脑上真实运行，如同在租来的机器上",
    "init-step-calibrate": "在这里测量 30 步",
    "col-init-key": "键",
    "col-init-value": "值",
    "col-init-place": "见于",
    "at-least": "至少 {count}",
    # beside it
    "init-remark-scripts-unreadable": "不是 Python，已跳过：{names}",
    "init-remark-folder-large": "文件夹很大：只看了其中前 {files} 个文件。",
    "init-remark-workdir-heavy": "{files} 个文件共 {bytes} 会随每个任务一起发送，超过了允许的 500 MB 或 20,000 个文件：请把不必发送的写进 .gitignore，数据在 `setup` 或 `run` 中从存储桶获取。",
    "init-remark-data-travels": "{folder}/（{files} 个文件共 {bytes}）看起来是数据；它会随每个任务一起发送。",
    "init-remark-data-stays": "{folder}/（{files} 个文件共 {bytes}）看起来是数据；.gitignore 让它留在这里，任务要从别处得到它：请在 `setup` 中生成或获取。",
    "init-remark-environment-yml": "看到了 {file}，但租来的机器上没有 conda：请把任务需要的包写进 requirements.txt，或在 `image` 中指定容器。",
}
