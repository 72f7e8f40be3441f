"""kube-ops-view: a web page that shows all nodes and pods."""
