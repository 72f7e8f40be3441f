#!/bin/bash
# Makes this instance a place to work from: kubectl and helm, and for both users a kubeconfig that
# fetches a token with the instance's role for each use.
set -euo pipefail

fetch() {
  curl --fail --silent --show-error --location --proto '=https' --tlsv1.2 --retry 10 \
    --retry-all-errors --output "$2" "$1"
}

verified() {
  fetch "$1" "$2"
  fetch "$1.sha256" "$2.sha256"
  echo "$(cut --delimiter ' ' --fields 1 "$2.sha256")  $2" | sha256sum --check --strict
}

cd "$(mktemp --directory)"
verified https://dl.k8s.io/release/v@KUBECTL@/bin/linux/arm64/kubectl kubectl
install --mode 755 kubectl /usr/local/bin/kubectl
verified https://get.helm.sh/helm-v@HELM@-linux-arm64.tar.gz helm.tar.gz
tar --extract --gzip --file helm.tar.gz linux-arm64/helm
install --mode 755 linux-arm64/helm /usr/local/bin/helm

# Session Manager would make its user at the first session, and that one would have no kubeconfig.
id ssm-user >/dev/null 2>&1 || useradd --create-home ssm-user
for user in ec2-user ssm-user; do
  folder=/home/$user/.kube
  install --directory --owner "$user" --group "$user" --mode 700 "$folder"
  # A new role's rights take some seconds to reach EKS.
  for _ in 1 2 3 4 5 6; do
    aws eks update-kubeconfig --region @REGION@ --name @CLUSTER@ --kubeconfig "$folder/config" &&
      break
    sleep 10
  done
  chown "$user:$user" "$folder/config"
  chmod 600 "$folder/config"
done
