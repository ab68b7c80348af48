"""The one file that knows PyNaCl: Ed25519 signatures (RFC 8032). A private key is the 32 bytes of its seed.

The library is imported with the first call: commands that sign nothing never load it.
"""

SEED_BYTES = 32


def public_half(seed: bytes) -> bytes:
    from nacl import bindings  # noqa: PLC0415 - see above

    return bindings.crypto_sign_seed_keypair(seed)[0]


def sign(seed: bytes, message: bytes) -> bytes:
    from nacl import bindings  # noqa: PLC0415 - see above

    _, secret = bindings.crypto_sign_seed_keypair(seed)
    return bindings.crypto_sign(message, secret)[: bindings.crypto_sign_BYTES]


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    from nacl import bindings, exceptions  # noqa: PLC0415 - see above

    try:
        bindings.crypto_sign_open(signature + message, public)
    except (exceptions.CryptoError, ValueError):
        return False
    return len(signature) == bindings.crypto_sign_BYTES
