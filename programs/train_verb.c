// train_verb.c -- opine train.

#include "command.h"
#include "run_output.h"
#include "train_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Takes the place for a checkpoint next to the model file.
static opn_status
open_checkpoint(opine_app *app, const char *model_path, opn_checkpoint **out)
{
    const bool resumes = opn_params_flag(app->params, "resume") != 0;
    const size_t room = strlen(model_path) + sizeof(".checkpoint");
    char *path = malloc(room);
    if (path == NULL)
        return out_of_memory(app);
    snprintf(path, room, "%s.checkpoint", model_path);
    const opn_status status = opn_checkpoint_open(app->ctx, path, resumes, out);
    if (status == OPN_OK && resumes && !opn_checkpoint_exists(*out) &&
        !opn_params_flag(app->params, "quiet"))
        complain("there is no %s to resume from; training starts from "
                 "scratch",
                 path);
    free(path);
    return status;
}

// Whether the path is that of a device or a pipe, which is written to as it is.
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

// Checks, before training, that a model can be written there.
static int check_output(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strdup(slash == NULL ? "." : path);
    if (folder == NULL) {
        complain("%s", opn_status_name(OPN_ERR_NOMEM));
        return EXIT_FAILED;
    }
    if (slash != NULL)
        folder[slash == path ? 1 : slash - path] = 0;
    const bool is_writable = access(is_special(path) ? path : folder, W_OK) == 0;
    if (!is_writable)
        complain("%s: cannot be written: %s", path, strerror(errno));
    free(folder);
    return is_writable ? EXIT_DONE : EXIT_FAILED;
}

// Compares the model with simple methods. What goes wrong with them does not matter to
// the model, unless the user wants to stop.
static opn_status
review(opine_app *app, const opn_graph *graph, const opn_split *split, opn_model *model)
{
    const opn_status status =
            opn_model_review(app->ctx, graph, split, app->params, model);
    if (status != OPN_OK && status != OPN_ERR_INTERRUPTED) {
        char why[1024];
        spell_options(opn_ctx_error(app->ctx), why, sizeof(why));
        complain("the model is not compared with simple methods: %s", why);
    }
    return status == OPN_ERR_INTERRUPTED ? status : OPN_OK;
}

int run_train(opine_app *app)
{
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_checkpoint *checkpoint = NULL;
    const char *path = opn_params_text(app->params, "output");
    if (path[0] == 0) {
        complain("train needs -o FILE: where to write the model, m.safetensors for "
                 "example");
        return EXIT_USAGE;
    }
    if (strcmp(path, "-") == 0) {
        complain("train writes the model to a file, not to standard output");
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".safetensors");
    if (checked != EXIT_DONE)
        return checked;
    if (check_output(path) != EXIT_DONE)
        return EXIT_FAILED;
    opn_status status = opn_params_check_models(app->ctx, app->params, false);
    if (status == OPN_OK && !is_special(path))
        status = open_checkpoint(app, path, &checkpoint);
    if (status == OPN_OK)
        status = load_checked(app, app->argument[0], &graph);
    if (status == OPN_OK)
        status = opn_params_use_preset(app->ctx, graph, app->params);
    if (status == OPN_OK)
        status = opn_split_from_params(app->ctx, graph, app->params, &split);
    if (status == OPN_OK) {
        tell_work(app, graph, split);
        status = opn_model_train(app->ctx, graph, split, app->params, checkpoint, &model);
    }
    if (status == OPN_OK && strcmp(opn_params_text(app->params, "preset"), "auto") == 0)
        status = review(app, graph, split, model);
    if (status == OPN_OK)
        status = opn_model_calibrate(app->ctx, graph, split, app->params, model);
    if (status == OPN_OK && app->rank == 0)
        status = opn_model_save(app->ctx, model, path);
    opn_checkpoint_close(checkpoint, status == OPN_OK); // needed until the model is saved
    terminal_clear();
    const int code = status == OPN_OK ? print_training(app, model, path)
                                      : complain_status(app, status);
    opn_model_free(model);
    opn_split_free(split);
    opn_graph_free(graph);
    return code;
}
