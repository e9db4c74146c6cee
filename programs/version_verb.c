// version_verb.c -- opine version: prints the version and how it was built.

#include "command.h"
#include "json_output.h"

#include <stdio.h>

static int print_as_json(const opn_build *build)
{
    json_t *document = json_object();
    json_t *libraries = json_object();
    for (int l = 0; l < build->n_linked; l++)
        put_json(libraries, build->linked[l].name, json_string(build->linked[l].version));
    put_json(document, "version", json_string(build->version));
    put_json(document, "compiler", json_string(build->compiler));
    put_json(document, "build_type", json_string(build->build_type));
    put_json(document, "precision", json_string(build->precision));
    put_json(document, "kernels", json_string(build->kernels));
    put_json(document, "cpu", json_string(build->cpu));
    put_json(document, "openmp", json_integer(build->openmp));
    put_json(document, "threads", json_integer(build->n_threads));
    put_json(document, "chart_js",
             build->chart_js[0] != 0 ? json_string(build->chart_js) : NULL);
    put_json(document, "libraries", libraries);
    return print_json(document);
}

static void print_facts(const opn_build *build)
{
    printf("compiler     %s, %s, in %s precision\n", build->compiler,
           build->build_type[0] != 0 ? build->build_type : "no build type",
           build->precision[0] == 'f' ? "single" : "double");
    printf("kernels      %s, on a CPU with %s\n", build->kernels,
           build->cpu[0] != 0 ? build->cpu : "none of AVX2, FMA and BMI2");
    if (build->openmp > 0)
        printf("threads      %d, by OpenMP %d\n", build->n_threads, build->openmp);
    else
        printf("threads      1, without OpenMP\n");
    printf("libraries    ");
    for (int l = 0; l < build->n_linked; l++)
        printf("%s%s %s", l > 0 ? ", " : "", build->linked[l].name,
               build->linked[l].version);
    if (build->chart_js[0] != 0)
        printf("\npages        Chart.js %s\n", build->chart_js);
    else
        printf("\npages        none, without Chart.js\n");
}

int run_version(opine_app *app)
{
    opn_build build;
    opn_build_info(&build);
    if (opn_params_flag(app->params, "json"))
        return print_as_json(&build);
    printf("opine %s\n", build.version);
    if (opn_params_flag(app->params, "verbose"))
        print_facts(&build);
    return EXIT_DONE;
}
