"""Creates key and certificate of the local API server, anew for each rehearsal."""

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from rehearsal.state import write_private

LIFETIME = datetime.timedelta(days=365)
NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


def write_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Writes a new P-256 key, as PEM that only the owner may read."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    write_private(path, pem.decode())
    return key


def write_certificate(path: Path, key_path: Path) -> None:
    """Writes a self-signed serving certificate for 127.0.0.1, which is its own authority."""
    key = write_key(key_path)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "frugal-eks rehearsal")])
    # A clock that is a little behind must not refuse it.
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    alternatives: list[x509.GeneralName] = [x509.DNSName(dns) for dns in NAMES]
    alternatives.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + LIFETIME)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        # Python 3.13 and newer refuse an authority without these.
        .add_extension(
            x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                crl_sign=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
