"""A lock of the operating system on an open file: it ends with the process that holds it, however that ends."""

import errno
import os
import sys

UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
FAR = 1 << 30  # place of the locked byte where locks are on bytes, so that the content can still be read


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file, for as long as it is open.

    Parameters
    ----------
    descriptor : int
        Descriptor of the file; on POSIX it may be that of a folder.
    wait : bool
        Wait until another process has unlocked it.

    Returns
    -------
    bool
        False if another process holds the lock. True otherwise, also on a file system that has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno in UNSUPPORTED
    return True
