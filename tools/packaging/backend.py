"""The build backend of pyproject.toml: maturin, after the scripts of pages and the licences are in place."""

from __future__ import annotations

import sys
from typing import Any

import maturin

from tools.packaging import notices, vendor

Settings = dict[str, Any] | None

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def _prepare() -> None:
    try:
        vendor.vendor()
        notices.write()
    except (vendor.VendorError, notices.LicenceError) as error:
        sys.exit(f"ackclock: {error}")


def _requires(of_maturin: list[str]) -> list[str]:
    return of_maturin if vendor.is_present() or vendor.npm() else [*of_maturin, vendor.NPM]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Names the packages that a build needs besides those of pyproject.toml."""
    return _requires(maturin.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Names the packages that an editable installation needs besides those of pyproject.toml."""
    return _requires(maturin.get_requires_for_build_editable(config_settings))


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Names the packages that a source distribution needs besides those of pyproject.toml."""
    return _requires(maturin.get_requires_for_build_sdist(config_settings))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Writes the metadata of a wheel."""
    _prepare()
    return str(maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings))


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Settings = None) -> str:
    """Writes the metadata of an editable installation."""
    _prepare()
    return str(maturin.prepare_metadata_for_build_editable(metadata_directory, config_settings))


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Builds a wheel."""
    _prepare()
    return str(maturin.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Builds the extension in place and a wheel that points here."""
    _prepare()
    return str(maturin.build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Builds a source distribution."""
    _prepare()
    return str(maturin.build_sdist(sdist_directory, config_settings))
