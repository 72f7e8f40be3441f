"""An AWS error, as every part of the played AWS raises it."""


class AwsError(Exception):
    """Answered to the caller in the words of AWS."""

    def __init__(self, code: str, message: str) -> None:
        """`code` is the error's name in the service's model, such as ResourceNotFoundException."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
