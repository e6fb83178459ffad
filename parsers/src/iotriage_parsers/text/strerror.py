"""The words of the system for the errors of reads and writes (strerror), as glibc has them: in English, and in the
languages of its catalogues that are met at centres; and as Go has them, which begins them small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iotriage_parsers.evidence.mpiio_warnings import SystemErrorName

_ENGLISH: Final[Mapping[str, SystemErrorName]] = {
    "Disk quota exceeded": "EDQUOT",
    "No space left on device": "ENOSPC",
    "Input/output error": "EIO",
    "Stale file handle": "ESTALE",
    "Stale NFS file handle": "ESTALE",
    "No locks available": "ENOLCK",
    "Function not implemented": "ENOSYS",
    "Cannot send after transport endpoint shutdown": "ESHUTDOWN",
    "Too many open files in system": "ENFILE",
    "Too many open files": "EMFILE",
    "Resource temporarily unavailable": "EAGAIN",
    "Operation not supported": "EOPNOTSUPP",
    "Unknown error 524": "ENOTSUPP",
    "Read-only file system": "EROFS",
    "File too large": "EFBIG",
    "Text file busy": "ETXTBSY",
    "Transport endpoint is not connected": "ENOTCONN",
    "Remote I/O error": "EREMOTEIO",
    "Permission denied": "EACCES",
    "Connection timed out": "ETIMEDOUT",
    "Host is down": "EHOSTDOWN",
    "Communication error on send": "ECOMM",
}
_OF_MPICH: Final[Mapping[str, SystemErrorName]] = {
    "Not enough space for file": "ENOSPC",
    "Quota exceeded for files": "EDQUOT",
    "Read-only file or filesystem name": "EROFS",
}
"""What MPICH has instead of the system's words."""
_SMALL: Final = (
    "Disk quota exceeded",
    "No space left on device",
    "Input/output error",
    "Stale NFS file handle",
    "Read-only file system",
    "File too large",
    "Text file busy",
    "Transport endpoint is not connected",
    "Remote I/O error",
)
_TRANSLATED: Final[Mapping[SystemErrorName, tuple[str, ...]]] = {
    "EDQUOT": (
        "Der zugewiesene Plattenplatz (Quota) ist überschritten",
        "Débordement du quota d'espace disque",
        "Se ha excedido la cuota de disco",
        "Quota disco superata",
        "Quota do disco excedida",
        "Cota da disco excedida",
        "Schijfquotum is overschreden",
        "Przekroczony limit dyskowy",
        "Překročena disková kvóta",
        "Diskkvot överskriden",
        "Превышена дисковая квота",
        "ディスク使用量制限を超過しました",
        "디스크 할당량이 초과됨",
        "超出磁盘限额",
        "磁碟配額已滿",
    ),
    "ENOSPC": (
        "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
        "Aucun espace disponible sur le périphérique",
        "No queda espacio en el dispositivo",
        "Spazio esaurito sul device",
        "Sem espaço livre no dispositivo",
        "Não há espaço disponível no dispositivo",
        "Geen ruimte meer over op apparaat",
        "Brak miejsca na urządzeniu",
        "Na zařízení není volné místo",
        "Enheten är full",
        "На устройстве не осталось свободного места",
        "デバイスに空き領域がありません",
        "장치에 남은 공간이 없음",
        "设备上没有空间",
        "裝置上已無多餘空間",
    ),
    "EIO": (
        "Eingabe-/Ausgabefehler",
        "Erreur d'entrée/sortie",
        "Error de entrada/salida",
        "Errore di input/output",
        "Erro de entrada/saída",
        "Invoer-/uitvoerfout",
        "Błąd wejścia/wyjścia",
        "Chyba vstupu/výstupu",
        "In/ut-fel",
        "Ошибка ввода/вывода",
        "入力/出力エラーです",
        "입력/출력 오류",
        "输入/输出错误",
        "輸入/輸出錯誤",
    ),
}

WORDS: Final[Mapping[str, SystemErrorName]] = {
    **_ENGLISH,
    **_OF_MPICH,
    **{words[0].lower() + words[1:]: _ENGLISH[words] for words in _SMALL},
    **{words: name for name, every in _TRANSLATED.items() for words in every},
}
