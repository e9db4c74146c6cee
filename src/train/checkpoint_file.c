// checkpoint_file.c -- where the training of a model file keeps what it has learnt.
//
// A training has one file, a choice among several models a folder with one file for each.

#include "train/checkpoint_file.h"

#include "comm/comm.h"
#include "io/bytes.h"
#include "io/file_lock.h"
#include "io/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char part_suffix[] = ".opine-part";

struct opn_checkpoint {
    opn_alloc alloc;
    char *path;
    char *lock_path;
    int lock; // descriptor
    bool is_locked;
    bool is_followed; // another rank has the lock and writes; this one reads
};

// An empty folder holds nothing to go on from.
static bool is_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && rmdir(path) != 0;
}

// ---- lock ----------------------------------------------------------------------------

// Whether the locked file still has its name: the one who held the lock before may have
// removed it.
static bool has_name(int file, const char *path)
{
    struct stat held;
    struct stat named;
    return fstat(file, &held) == 0 && lstat(path, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static opn_status take_lock(opn_ctx *ctx, opn_checkpoint *checkpoint, opn_i_lock *out)
{
    opn_status status = OPN_OK;
    const char *path = checkpoint->lock_path;
    opn_i_lock lock = OPN_LOCK_MISSING;
    do {
        if (checkpoint->lock >= 0)
            (void)close(checkpoint->lock);
        checkpoint->lock =
                open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        OPN_FAIL_IF(ctx, checkpoint->lock < 0, OPN_ERR_WRITE, "%s: cannot be written: %s",
                    path, strerror(errno));
        lock = opn_i_file_lock(checkpoint->lock);
    } while (lock == OPN_LOCK_HELD && !has_name(checkpoint->lock, path));
    checkpoint->is_locked = lock == OPN_LOCK_HELD;
    *out = lock;
cleanup:
    return status;
}

// ---- checkpoints ---------------------------------------------------------------------

// Whatever the lock: it is for the caller to say what that means.
static opn_status
open_checkpoint(opn_ctx *ctx, const char *path, opn_i_lock *lock, opn_checkpoint **out)
{
    opn_status status = OPN_OK;
    opn_checkpoint *checkpoint = NULL;
    OPN_TRY_NEW(ctx, checkpoint, 1);
    checkpoint->alloc = ctx->alloc;
    checkpoint->lock = -1;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &checkpoint->path));
    OPN_TRY(opn_i_join_path(ctx, NULL, path, ".lock", &checkpoint->lock_path));
    checkpoint->is_followed = opn_i_comm_of(ctx)->rank > 0;
    if (checkpoint->is_followed)
        *lock = OPN_LOCK_HELD;
    else
        OPN_TRY(take_lock(ctx, checkpoint, lock));
    *out = checkpoint;
    checkpoint = NULL;
cleanup:
    opn_checkpoint_close(checkpoint, 0);
    return status;
}

opn_status opn_i_checkpoint_claim(opn_ctx *ctx, const char *path, opn_checkpoint **out)
{
    opn_status status = OPN_OK;
    opn_checkpoint *checkpoint = NULL;
    opn_i_lock lock = OPN_LOCK_MISSING;
    OPN_TRY(open_checkpoint(ctx, path, &lock, &checkpoint));
    if (lock == OPN_LOCK_MISSING)
        (void)unlink(checkpoint->lock_path);
    *out = lock == OPN_LOCK_HELD ? checkpoint : NULL;
    if (lock != OPN_LOCK_HELD)
        opn_checkpoint_close(checkpoint, 0);
cleanup:
    return status;
}

opn_status
opn_checkpoint_open(opn_ctx *ctx, const char *path, int resumes, opn_checkpoint **out)
{
    OPN_REJECT_NULL(ctx, path, out);
    opn_status status = OPN_OK;
    opn_checkpoint *checkpoint = NULL;
    opn_i_lock lock = OPN_LOCK_MISSING;
    OPN_TRY(open_checkpoint(ctx, path, &lock, &checkpoint));
    OPN_FAIL_IF(ctx, lock == OPN_LOCK_TAKEN, OPN_ERR_WRITE,
                "%s: another training is writing to the same file", path);
    OPN_FAIL_IF(ctx, lock == OPN_LOCK_MISSING, OPN_ERR_WRITE, "%s: cannot be locked: %s",
                checkpoint->lock_path, strerror(errno));
    OPN_FAIL_IF(ctx, !resumes && !checkpoint->is_followed && is_there(path),
                OPN_ERR_INVALID_ARG,
                "%s: holds a training that was interrupted; continue it with `resume`, "
                "or remove it to begin anew",
                path);
    *out = checkpoint;
    checkpoint = NULL;
cleanup:
    opn_checkpoint_close(checkpoint, 0);
    return status;
}

int opn_checkpoint_exists(const opn_checkpoint *checkpoint)
{
    OPN_RETURN_IF_NULL(checkpoint, 0);
    return is_there(checkpoint->path);
}

// Removes the parts, and the folder unless something of someone else is in it.
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *rest = strstr(entry->d_name, part_suffix);
        // Also what was being written when a training was killed.
        if (rest != NULL && (rest[sizeof(part_suffix) - 1] == 0 ||
                             opn_i_path_ends_in(entry->d_name, ".tmp")))
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

void opn_checkpoint_close(opn_checkpoint *checkpoint, int is_saved)
{
    if (checkpoint == NULL)
        return;
    const opn_alloc alloc = checkpoint->alloc;
    if (is_saved && !checkpoint->is_followed && unlink(checkpoint->path) != 0)
        remove_folder(checkpoint->path);
    if (checkpoint->is_locked && !is_saved)
        (void)rmdir(checkpoint->path); // only if it is empty
    if (checkpoint->is_locked)
        (void)unlink(checkpoint->lock_path); // before the lock is released
    if (checkpoint->lock >= 0)
        (void)close(checkpoint->lock);
    opn_i_release(&alloc, checkpoint->path);
    opn_i_release(&alloc, checkpoint->lock_path);
    opn_i_release(&alloc, checkpoint);
}

opn_status opn_i_checkpoint_part(opn_ctx *ctx,
                                 const opn_checkpoint *checkpoint,
                                 const char *part,
                                 char **out)
{
    opn_status status = OPN_OK;
    struct stat about;
    OPN_FAIL_IF(
            ctx, part != NULL && mkdir(checkpoint->path, 0777) != 0 && errno != EEXIST,
            OPN_ERR_WRITE, "%s: cannot be made: %s", checkpoint->path, strerror(errno));
    const bool is_folder = stat(checkpoint->path, &about) == 0 && S_ISDIR(about.st_mode);
    if (is_folder != (part != NULL))
        OPN_TRY(opn_i_checkpoint_refuse(ctx, checkpoint));
    if (part == NULL)
        OPN_TRY(opn_i_join_path(ctx, NULL, checkpoint->path, "", out));
    else
        OPN_TRY(opn_i_join_path(ctx, checkpoint->path, part, part_suffix, out));
cleanup:
    return status;
}

void opn_i_checkpoint_tell(opn_ctx *ctx, const opn_checkpoint *checkpoint)
{
    if (checkpoint != NULL && is_there(checkpoint->path))
        opn_i_log(ctx, OPN_LOG_INFO, "resuming from %s", checkpoint->path);
}

opn_status opn_i_checkpoint_interrupted(opn_ctx *ctx, const opn_checkpoint *checkpoint)
{
    if (!is_there(checkpoint->path)) // it was too early for that
        return OPN_ERR_INTERRUPTED;
    return opn_i_fail(ctx, OPN_ERR_INTERRUPTED,
                      "interrupted; training so far is saved in %s; continue it with "
                      "`resume`",
                      checkpoint->path);
}

opn_status opn_i_checkpoint_refuse(opn_ctx *ctx, const opn_checkpoint *checkpoint)
{
    return opn_i_fail(ctx, OPN_ERR_FORMAT,
                      "%s: is the checkpoint of other data or parameters, or damaged; "
                      "remove it to begin anew",
                      checkpoint->path);
}
