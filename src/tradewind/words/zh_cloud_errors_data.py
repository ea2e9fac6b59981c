"""中文：云账号及其设置文件的错误：（发生了什么，原因，下一步）。"""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "credentials-missing": (
        "没有找到 {cloud} 的凭证",
        "它的 SDK 会查找环境变量、自己的文件和本机的角色。",
        "请像使用该云自己的命令行那样设置凭证；本程序既不索取也不保存凭证。",
    ),
    "cloud-not-rentable": (
        "还不能租用 {cloud} 的机器",
        "已有它的价格，所以方案和预演会显示它。",
        "请在别处租用：tradewind clouds 说明哪些可用。",
    ),
    "cloud-not-asked": (
        "无法询问 {cloud}：{kind:fault}",
        "它说：{words}",
        "请先解决此问题；之后 `tradewind clouds check {cloud}` 会说明它允许什么。",
    ),
    "caller-unknown": (
        "不知道应允许从哪里连接您的机器",
        "无法在 {url} 询问本机的地址：{cause}",
        "请在 clouds.yaml 中为该云设置 `ssh_from`，例如：ssh_from: 203.0.113.7/32",
    ),
    "clouds-file-unreadable": ("无法读取 {path}", "{why}", "请确认它是文本，且您有权读取。"),
    "clouds-file-invalid": (
        "{file}：云的设置无法读取；错误数：{count}",
        "",
        "请改正上面所列；没有此文件时一切按默认。",
    ),
    "ssh-from-unreadable": (
        "`{key}`：`{text}` 不是网络。",
        "需要一个地址或 CIDR 形式的网络：203.0.113.7、203.0.113.0/24。",
        "",
    ),
    "ssh-from-everywhere": (
        "`{key}`：`{text}` 是整个互联网。",
        "机器从不对所有人开放；请写您工作所在的网络。",
        "",
    ),
    "url-unreadable": ("`{key}`：`{text}` 不是 URL。", "它以 https:// 或 http:// 开头。", ""),
    "network-not-given": ("`{key}`：`given` 需要 `subnets` 和 `groups`。", "", ""),
    "network-given-besides": (
        "`{key}`：`subnets` 和 `groups` 只与 `given` 一起使用，不能与 `{value}` 一起。",
        "",
        "",
    ),
}
