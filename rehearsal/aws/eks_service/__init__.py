"""Plays EKS: its whole REST API, on the rehearsal's API server and on moto."""
