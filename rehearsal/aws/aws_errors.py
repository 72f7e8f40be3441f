"""The AWS error that every part of the played AWS raises."""


class AwsError(Exception):
    """An error that the caller receives in AWS's format."""

    def __init__(self, code: str, message: str) -> None:
        """`code` is the error's name in the service's model, such as ResourceNotFoundException."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
