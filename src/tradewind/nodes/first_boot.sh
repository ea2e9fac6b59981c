# What a machine rented by Tradewind does at its first boot, as root. Run again, it changes nothing.
# Before these lines stand: token hard_end powers_off host_key authorized_key. A step that fails is told and holds up
# no other; the hard end comes first, and who reaches the machine finds the rest done.
set -u
umask 077
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export PATH
here=/etc/tradewind
log=/var/log/tradewind-first-boot.log
key=/etc/ssh/ssh_host_ed25519_key

say() {
	echo "tradewind: $*" | tee -a "$log"
}

run() {
	"$@" >>"$log" 2>&1 </dev/null || {
		say "failed with exit code $?: $*"
		return 1
	}
}

put() { # the standard input becomes the file $1, whole or not at all
	cat >"$1.draft" && mv "$1.draft" "$1" || say "cannot write $1"
}

begin() {
	mkdir -p "$here"
	[ "$(cat "$here/token" 2>/dev/null)" = "$token" ] && return
	# The image was taken of another machine of ours: nothing of that one's holds here.
	rm -f "$here/hard-end" "$here/host-key.json" "$here/power-off.json"
	echo "$token" | put "$here/token"
}

keep_hard_end() {
	# It may have been moved since it was written first.
	[ -e "$here/hard-end" ] || echo "$hard_end" | put "$here/hard-end"
	[ "$powers_off" = yes ] || return
	echo "{\"argv\": [\"$(command -v shutdown)\", \"-h\", \"now\"], \"token\": \"$token\"}" | put "$here/power-off.json"
	put "$here/keeper" <<'KEEPER'
# Powers this machine off at the instant in hard-end, seconds since the epoch, which is read again and again, since it
# may be moved. What is no instant leaves the last one that was, at first that of $1. On a machine that was booted from
# an image of this one ($2 is who this one is at its cloud) it does nothing.
[ "$(cat /var/lib/cloud/data/instance-id 2>/dev/null)" = "$2" ] || exit 0
exec 9>/run/tradewind-keeper.lock
if command -v flock >/dev/null; then flock -n 9 || exit 0; fi
end=$1
while :; do
	told=$(cat /etc/tradewind/hard-end 2>/dev/null)
	case $told in '' | *[!0-9]*) ;; *) end=$told ;; esac
	left=$((end - $(date +%s)))
	if [ "$left" -le 0 ]; then
		shutdown -h now || poweroff
		left=30 # then again
	fi
	if [ "$left" -gt 15 ]; then left=15; fi
	sleep "$left" 9>&-
done
KEEPER
	machine=$(cat /var/lib/cloud/data/instance-id 2>/dev/null)
	if [ -d /run/systemd/system ]; then
		put /etc/systemd/system/tradewind-hard-end.service <<UNIT
[Unit]
Description=Ends this machine when its lease does
After=cloud-init.service cloud-init-network.service

[Service]
ExecStart=/bin/sh $here/keeper $hard_end "$machine"
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
UNIT
		run systemctl daemon-reload
		run systemctl enable tradewind-hard-end.service
		run systemctl start --no-block tradewind-hard-end.service
	else
		setsid sh "$here/keeper" "$hard_end" "$machine" </dev/null >>"$log" 2>&1 &
	fi
}

mount_disks() {
	lsblk -dnrpo NAME,TYPE,RO 2>>"$log" | while read -r disk kind read_only; do
		case $disk in */zram* | */ram* | */nbd* | */fd*) continue ;; esac
		[ "$kind$read_only" = disk0 ] && mount_disk "$disk" </dev/null
	done
}

mount_disk() {
	mounted=$(lsblk -nro MOUNTPOINT "$1" | grep .) && {
		case $mounted in /data*) grow "$1" "$(findmnt -nro SOURCE "$mounted")" "$mounted" ;; esac
		return
	}
	volume=$(lsblk -nrpo NAME "$1" | tail -n +2)
	volume=${volume:-$1}
	if [ "$volume" = "$1" ] && blank "$1"; then
		run mkfs.ext4 -q -m 0 "$1" || return
		say "$1: made an ext4 file system"
	fi
	case $(blkid -po value -s TYPE "$volume" 2>>"$log") in
	ext[234] | xfs) mount_volume "$1" "$volume" ;;
	*) say "$1 is left as it is: it holds something else than one ext4 or xfs file system" ;;
	esac
}

blank() { # no file system, no partitions, no signature of anything, and nothing at its beginning that has none
	blkid -p "$1" >/dev/null 2>&1
	[ $? = 2 ] && [ -z "$(wipefs -n "$1" 2>&1)" ] && [ "$(head -c 1048576 "$1" | tr -d '\0' | wc -c)" -eq 0 ]
}

mount_volume() {
	uuid=$(blkid -po value -s UUID "$2")
	place=$(sed -n "s/^UUID=$uuid[[:space:]]\{1,\}\([^[:space:]]*\).*/\1/p" /etc/fstab)
	if [ -z "$place" ]; then
		place=/data number=0
		while taken "$place"; do
			number=$((number + 1))
			place=/data$number
		done
		echo "UUID=$uuid $place auto defaults,nofail,x-systemd.growfs 0 2" >>/etc/fstab
	fi
	mkdir -p -m 755 "$place"
	run mount "$2" "$place" && say "$2: mounted at $place" && grow "$1" "$2" "$place"
}

taken() {
	grep -q "^[^#]*[[:space:]]$1[[:space:]]" /etc/fstab || { [ -d "$1" ] && [ -n "$(ls -A "$1")" ]; } || mountpoint -q "$1"
}

grow() { # the volume $2 of the disk $1, mounted at $3, to all of the disk
	if [ "$1" != "$2" ]; then growpart "$1" "${2##*[!0-9]}" >>"$log" 2>&1; fi # it fails when there is nothing to do
	case $(findmnt -nro FSTYPE "$3") in
	ext[234]) run resize2fs "$2" ;;
	xfs) run xfs_growfs "$3" ;;
	esac
}

let_us_in() {
	home=$(getent passwd root | cut -d : -f 6)
	home=${home:-/root}
	mkdir -p "$home/.ssh" && chmod 700 "$home/.ssh"
	keys=$home/.ssh/authorized_keys
	# Images let root in only to be told to log in as somebody else.
	{
		echo "$authorized_key tradewind"
		grep -v -e 'command=.*lease login as the user' -e "^$authorized_key tradewind\$" "$keys" 2>/dev/null
	} | put "$keys"
	grep -qx '# tradewind' /etc/ssh/sshd_config || {
		cat /etc/ssh/sshd_config
		printf '\n# tradewind\nMatch User root\n'
		printf '\t%s\n' 'PermitRootLogin prohibit-password' 'PubkeyAuthentication yes' 'ForceCommand none' \
			'AuthorizedKeysFile .ssh/authorized_keys' 'AllowTcpForwarding yes'
	} | put_settings
}

put_settings() { # of sshd, when it takes them
	new=/etc/ssh/sshd_config.tradewind
	cat >"$new"
	run sshd -t -f "$new" && cat "$new" >/etc/ssh/sshd_config
	rm -f "$new"
}

take_host_key() {
	[ -e "$here/host-key.json" ] && return # by now the machine may have a key of its own
	printf '%s\n' "$host_key" | put "$key"
	ssh-keygen -y -f "$key" | put "$key.pub"
	sshd -T 2>>"$log" | grep -qi "^hostkey $key\$" || {
		echo "HostKey $key"
		cat /etc/ssh/sshd_config
	} | put_settings
	put "$here/reload-sshd" <<'RELOAD'
# Makes sshd read its keys and settings again; who is logged in stays.
if [ -d /run/systemd/system ]; then
	systemctl reload-or-restart ssh.service || systemctl reload-or-restart sshd.service
	exit
fi
for file in /run/sshd.pid /var/run/sshd.pid; do
	if [ -s "$file" ]; then exec kill -HUP "$(cat "$file")"; fi
done
service ssh reload || service sshd reload
RELOAD
	echo "{\"key\": \"$key\", \"reload\": [\"sh\", \"$here/reload-sshd\"]}" | put "$here/host-key.json"
	if command -v restorecon >/dev/null; then run restorecon -R "$home/.ssh" /etc/ssh; fi
	run sh "$here/reload-sshd" && say "ready"
}

begin
keep_hard_end
mount_disks
let_us_in
take_host_key
sync
