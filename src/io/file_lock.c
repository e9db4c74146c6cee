// file_lock.c -- whether another process is writing to a file.

#include "io/file_lock.h"

#include <errno.h>
#include <sys/file.h>

opn_i_lock opn_i_file_lock(int file)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        return OPN_LOCK_HELD;
    return errno == EWOULDBLOCK ? OPN_LOCK_TAKEN : OPN_LOCK_MISSING;
}
