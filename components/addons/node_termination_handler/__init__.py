"""Node Termination Handler: drains nodes of Auto Scaling groups before AWS takes them away."""
