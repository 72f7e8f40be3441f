"""The stand-in AWS provider: a Pulumi plugin over boto3's client, the table and a played AWS."""
