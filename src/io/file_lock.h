// file_lock.h -- whether another process is writing to a file.

#ifndef OPN_FILE_LOCK_H
#define OPN_FILE_LOCK_H

typedef enum opn_i_lock {
    OPN_LOCK_HELD,
    OPN_LOCK_TAKEN,  // by another process, or by another opening in this one
    OPN_LOCK_MISSING // the file system has no locks, as some network mounts
} opn_i_lock;

// Locks an open file until it is closed, without waiting.
opn_i_lock opn_i_file_lock(int file);

#endif // OPN_FILE_LOCK_H
