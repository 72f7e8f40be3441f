"""ExternalDNS: keeps Route 53 records in step with Services and Ingresses."""
