"""The keys of a test API server: a certificate authority for clients, and the key of service account tokens."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_LIFE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class KubeKeys:
    """Files that kube-apiserver takes, and the authority that signs client certificates."""

    client_ca: Path
    service_account: Path
    authority: x509.Certificate
    authority_key: ec.EllipticCurvePrivateKey

    def client_certificate(self, user: str) -> tuple[bytes, bytes]:
        """Return the PEM of a client certificate of this user's name and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(user, key, self.authority.subject, self.authority_key, is_authority=False)
        return certificate.public_bytes(serialization.Encoding.PEM), _pem(key)


def make_keys(folder: Path) -> KubeKeys:
    """Make fresh keys and write what the server reads into the folder."""
    folder.mkdir()
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name("clients")
    authority = _certificate("clients", key, subject, key, is_authority=True)
    client_ca, service_account = folder / "client-ca.crt", folder / "service-account.key"
    client_ca.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    service_account.write_bytes(_pem(ec.generate_private_key(ec.SECP256R1())))
    return KubeKeys(client_ca, service_account, authority, key)


def _certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LIFE)
        .not_valid_after(now + _LIFE)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
