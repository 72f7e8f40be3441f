#!/bin/bash
# Makes this instance the way out of the private subnets: it takes over the network interface that
# their routes lead to, sends everything out by it, and puts its own address in place of theirs.
set -euo pipefail

# dnf needs more memory than a nano has (amazonlinux/amazon-linux-2023#404).
dd if=/dev/zero of=/swapfile bs=1M count=512 status=none
chmod 600 /swapfile
mkswap /swapfile
swapon /swapfile
until dnf install --assumeyes nftables; do sleep 5; done

cat >/usr/local/sbin/nat-instance <<'SCRIPT'
#!/bin/bash
set -euo pipefail
export AWS_DEFAULT_REGION=eu-west-1
interface=eni-0123456789abcdef0
mac=02:aa:bb:cc:dd:ee

metadata() {
  local token
  token=$(curl --fail --silent --request PUT \
    --header 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token)
  curl --fail --silent --header "X-aws-ec2-metadata-token: $token" \
    "http://169.254.169.254/latest/meta-data/$1"
}

device() {
  ip -oneline link show | grep --fixed-strings "link/ether $mac" | cut --delimiter ' ' --fields 2 |
    tr --delete ':' || true
}

# After a reboot it is here already, and there is no other way to ask AWS.
if [[ -z $(device) ]]; then
  held=$(aws ec2 describe-network-interfaces --network-interface-ids "$interface" \
    --query 'NetworkInterfaces[0].Attachment.AttachmentId' --output text)
  if [[ $held != None ]]; then
    # The instance before this one, which has failed or is ending.
    aws ec2 detach-network-interface --attachment-id "$held" --force || true
  fi
  # It is refused until the other has let go: then all of this starts again.
  aws ec2 attach-network-interface --network-interface-id "$interface" \
    --instance-id "$(metadata instance-id)" --device-index 1
fi
until [[ -n $(device) ]]; do sleep 1; done
device=$(device)
until [[ -n $(ip -4 -brief address show dev "$device" | awk '{print $3}') ]]; do sleep 1; done

sysctl --write net.ipv4.ip_forward=1
nft --file - <<RULES
add table ip nat_instance
delete table ip nat_instance
table ip nat_instance {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "$device" masquerade
  }
}
RULES
# By itself the kernel of a nano remembers some 4000 connections, one for each 128 KiB.
sysctl --write net.netfilter.nf_conntrack_max=65536

# Both interfaces are in one subnet, with the same gateway.
gateway=$(ip -4 route show default | awk '{print $3; exit}')
ip -4 route replace default via "$gateway" dev "$device" metric 100

# The other public address was for the boot alone, and costs as much as the one that stays.
primary=$(metadata "network/interfaces/macs/$(metadata mac)/interface-id")
aws ec2 modify-network-interface-attribute --network-interface-id "$primary" \
  --no-associate-public-ip-address || true

# The network daemon may drop a route that is not its own. The route fails, and this ends, when the
# next instance has taken the interface over.
while ip -4 route replace default via "$gateway" dev "$device" metric 100; do sleep 10; done
SCRIPT
chmod 755 /usr/local/sbin/nat-instance

cat >/etc/systemd/system/nat-instance.service <<'UNIT'
[Unit]
Description=The way out of the private subnets
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/local/sbin/nat-instance
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
UNIT
systemctl enable --now nat-instance.service
