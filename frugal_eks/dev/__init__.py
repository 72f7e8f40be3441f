"""Commands for developers of this project: pages, features, EC2's lists."""
