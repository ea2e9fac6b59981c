"""中文：自有机器、通往它们的连接、以及进入任务所在机器时的错误：（发生了什么，原因，下一步）。"""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    # 添加与命名
    "target-unreadable": (
        "`{target}` 不是一台主机",
        "",
        "按需写成 USER@HOST:PORT：ada@10.0.0.7、ada@box:2222、~/.ssh/config 里的 Host、[2001:db8::7]。",
    ),
    "machine-not-added": (
        "没有名为 `{name}` 的机器",
        "[[现有：{known}。]]",
        "tradewind machines list 列出它们；tradewind machines add USER@HOST 添加一台。",
    ),
    "machine-name-unreadable": (
        "`{name}` 不能作为机器的名称",
        "",
        "只能用字母、数字、点、连字符和下划线，最多 60 个：--name gpu-box。",
    ),
    "machine-name-taken": (
        "`{name}` 是另一台机器的名称",
        "它是 {target}。",
        "用 --name 给这台另起名称，或移除那一台：tradewind machines remove {name}",
    ),
    "machine-known-as": (
        "{target} 已经添加过，名称是 `{name}`",
        "一台主机就是一台机器：两个名称会把同样的 GPU 许诺两次。",
        "用它的名称修改设置：tradewind machines add {target} --name {name}",
    ),
    "machine-gpus-unknown": (
        "`{name}` 没有 GPU {gpus}",
        "[[它有：{known}。]]",
        "请给出 nvidia-smi 所示的编号：--gpus 0,1",
    ),
    "gpu-indices-unreadable": ("`{text}` 不是 GPU 编号", "", "请给出 nvidia-smi 所示的编号，用逗号分隔：--gpus 0,1"),
    "country-unreadable": ("`{country}` 不是国家代码", "", "按 ISO 3166 写两个字母：--country DE"),
    "folder-unreadable": (
        "`{folder}` 不能作为主机上的目录",
        "需要一个路径：绝对的，或在您那里的主目录之下。",
        "例如：--folder /data/tradewind",
    ),
    "machine-unreadable": (
        "一台机器的记录无法读取：{path}",
        "{cause}",
        "把该文件移走，再重新添加机器；那里运行的任务不受影响。",
    ),
    "host-key-unasked": (
        "{target} 尚不为人所知，又没有人可以确认它是不是那台机器",
        "它出示的是 {fingerprints}。",
        "先与管理员给出的指纹核对，然后：{command}",
    ),
    "host-key-other": (
        "{target} 出示的主机密钥与固定的、或您的 known_hosts 里的不同",
        "它出示的是 {fingerprints}。",
        "只有在机器重装过、且管理员告诉您就是这个指纹时：{command}",
    ),
    "host-key-not-agreed": (
        "没有添加 {target}",
        "它的主机密钥未获同意。",
        "向管理员索取指纹，或在机器上查看：ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
    ),
    "host-key-differs": (
        "{target} 出示的主机密钥与给出的不同",
        "给出：{given}；出示：{fingerprints}。",
        "如果没有写错，可能有人插在您与机器之间：请先询问管理员。",
    ),
    "machine-in-use": (
        "`{name}` 正在使用：{jobs}",
        "有租约的机器不会被移除：否则任务会被切断。",
        "停止它们，或等它们结束：tradewind stop JOB",
    ),
    "machine-too-small": (
        "`{name}` 对这个任务来说太小",
        "任务需要 {wanted}；机器有 {has}。",
        "修改 resources.accelerators，换一台机器，或允许使用更多 GPU（machines add --gpus）。",
    ),
    "machine-elsewhere": (
        "`{name}` 不在 {residency}",
        "按添加时所说，它在 {country}。",
        "如果它在别处，请用 --country 重新添加；或修改 placement.residency。",
    ),
    "host-refused": ("{target} 拒绝了（{kind}）", "{why}", "查看这台机器：tradewind machines check"),
    "local-and-on": (
        "--local 与 --on 互斥",
        "--local 在本机运行，--on 在您的一台机器上运行。",
        "只保留其中一个。",
    ),
    # 通往机器的连接：为何没有应答
    "host-key-changed": (
        "{target} 出示的主机密钥与固定的不同",
        "",
        "没有发送任何内容。如果机器重装过，请向管理员索取新指纹并给出："
        "tradewind machines add {target} --host-key SHA256:…   如果没有，就是有人插在您与它之间。",
    ),
    "host-key-unknown": (
        "{target} 没有固定的主机密钥",
        "",
        "添加它，并确认它的密钥：tradewind machines add {target}",
    ),
    "jump-key-unknown": (
        "通往 {target} 的跳板机不可信",
        "{why}",
        "跳板机按您自己的 known_hosts 核对：先用 ssh 登录一次，并核对指纹。",
    ),
    "login-refused": (
        "{target} 不允许您登录",
        "{why}",
        "在终端里试 `ssh {target}`。如果只有交互时才行，请给 Tradewind 一把自己的密钥："
        "tradewind machines add {target} --own-key",
    ),
    "password-only": (
        "{target} 只接受密码登录",
        "",
        "看管任务时没有人输入密码：请放一把公钥上去（ssh-copy-id {target}），或请管理员允许密钥登录。",
    ),
    "passphrase-needed": (
        "用于 {target} 的密钥需要口令",
        "{why}",
        "把它放进代理（ssh-add），或给 Tradewind 一把自己的密钥：tradewind machines add {target} --own-key",
    ),
    "no-python": (
        "{target} 没有 Python 3.8 或更高版本",
        "",
        "安装一个（apt-get install python3）；那里不需要别的。",
    ),
    "no-bash": ("{target} 没有 bash", "", "请安装：任务由 `bash -eo pipefail` 运行。"),
    "no-space": (
        "{target} 的磁盘已满",
        "{why}",
        "在那里腾出空间，或换一块磁盘：tradewind machines add {target} --folder /data/tradewind",
    ),
    "folder-refused": (
        "无法在 {target} 上建立目录",
        "{why}",
        "选一个您可写的目录：tradewind machines add {target} --folder /data/tradewind",
    ),
    "host-unknown": (
        "没有名为 {target} 的主机",
        "{why}",
        "检查拼写、VPN，以及 ~/.ssh/config 里的 Host。",
    ),
    "connection-refused": ("{target} 所在之处没有监听", "", "检查端口，以及 sshd 是否在运行。"),
    "timed-out": (
        "{target} 没有应答",
        "",
        "它可能关机，或在 VPN、防火墙之后。那里的任务会继续；恢复后会再听到它们。",
    ),
    "too-many-connections": (
        "{target} 连接过多，拒绝了新的连接",
        "",
        "会自动重试；管理员可以调大 sshd_config 的 MaxStartups。",
    ),
    "cut": ("与 {target} 的连接断了", "{why}", "会自动重连；那里运行的任务会继续。"),
    "ssh-config": (
        "用于 {target} 的 SSH 配置无法使用",
        "{why}",
        "修正 ~/.ssh/config，或它指定的密钥文件。",
    ),
    "unreachable": ("无法到达 {target}", "{why}", "在终端里试 `ssh {target}`：那里怎么解决，这里也一样。"),
    # 进入与取回
    "job-not-on-a-node": (
        "{job} 此刻不在任何机器上：{state:state}",
        "只有任务工作的地方才有终端。",
        "任务未结束时，tradewind explain {job} 会说明它何时会在机器上；它的产物：tradewind fetch {job}",
    ),
    "no-ports": ("{job} 没有写明端口", "任务文件的 `ports` 是空的。", "加上例如 `ports: [6006]`，再运行一次。"),
    "no-outputs": (
        "{job} 没有输出：{state:state}",
        "运行结束后才取回输出。",
        "运行期间可到它工作的地方看：tradewind ssh {job}；它写的内容：tradewind logs {job}",
    ),
    "fetch-target-taken": ("{path} 不是目录", "那里有一个文件。", "给 --to 一个目录；不必事先存在。"),
    "program-missing": ("无法启动 {name}", "{why}。", "安装 OpenSSH 客户端后再试。"),
}
