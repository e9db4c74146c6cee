// completion.c -- completion scripts for bash and zsh, from the same tables as the help.
// Names of verbs, options and choices contain no shell metacharacters; help texts may,
// and are quoted.

#include "command.h"

#include <stdio.h>
#include <string.h>

// Prints choices as a list separated by blanks.
static void put_choices(const char *choices)
{
    for (; *choices != 0; choices++)
        putchar(*choices == '|' ? ' ' : *choices);
}

static void put_datasets(void)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        printf("%s%s", d > 0 ? " " : "", opn_dataset_at(d)->name);
}

static void put_members(const opine_family *family)
{
    const char *gap = "";
    for (int v = 0; v < n_verbs; v++) {
        const char *word = verb_in_family(&verbs[v], family);
        if (word == NULL)
            continue;
        printf("%s%s", gap, word);
        gap = " ";
    }
}

// Prints the first words of all verbs, as in the overview.
static void put_first_words(void)
{
    const char *gap = "";
    for (int v = 0; v < n_verbs; v++)
        if (strchr(verbs[v].name, ' ') == NULL) {
            printf("%s%s", gap, verbs[v].name);
            gap = " ";
        }
    for (int f = 0; f < n_families; f++)
        printf(" %s", families[f].name);
}

static bool is_folder(const opn_param *param)
{
    return strcmp(option_value(param), "DIR") == 0;
}

static bool is_file(const opn_param *param)
{
    return strcmp(option_value(param), "OUT") == 0 ||
           strcmp(option_value(param), "FILE") == 0;
}

// ---- bash ----------------------------------------------------------------------------

static const char bash_head[] =
        "# Fills COMPREPLY with the words of $offer, and with files or folders if $files "
        "says so,\n"
        "# that begin with the word at the cursor; of a $list, with its last part.\n"
        "_opine_reply()\n"
        "{\n"
        "    local begun=$1 before=''\n"
        "    if [[ -n $list && $begun == *,* ]]; then\n"
        "        before=${begun%,*},\n"
        "        begun=${begun##*,}\n"
        "    fi\n"
        "    mapfile -t COMPREPLY < <(\n"
        "        compgen -P \"$before\" -W \"$offer\" -- \"$begun\"\n"
        "        [[ -z $files ]] || compgen \"$files\" -- \"$begun\"\n"
        "    )\n"
        "    [[ -z $files ]] || compopt -o filenames 2>/dev/null || true\n"
        "}\n"
        "\n"
        "# What may follow an option; fails if it takes no value.\n"
        "_opine_value()\n"
        "{\n"
        "    offer='' files='' list=''\n"
        "    case $1 in\n";

static const char bash_middle[] =
        "    *) return 1 ;;\n"
        "    esac\n"
        "}\n"
        "\n"
        "_opine()\n"
        "{\n"
        "    local begun=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}\n"
        "    local offer='' files='' list='' options='' at=2 n=0 word\n"
        "    local -a arguments=()\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD < 2)); then\n"
        "        offer=$_opine_verbs\n"
        "        [[ $begun != -* ]] || offer='--help --version'\n"
        "        _opine_reply \"$begun\"\n"
        "        return\n"
        "    fi\n"
        "    case $verb in\n";

static const char bash_tail[] =
        "    esac\n"
        "    # --option=value comes as three words.\n"
        "    while ((at < COMP_CWORD)); do\n"
        "        word=${COMP_WORDS[at++]}\n"
        "        if [[ $word != -* ]]; then\n"
        "            ((++n))\n"
        "            continue\n"
        "        fi\n"
        "        _opine_value \"$word\" || continue\n"
        "        [[ ${COMP_WORDS[at]} != '=' ]] || ((++at))\n"
        "        if ((at >= COMP_CWORD)); then\n"
        "            [[ $begun != '=' ]] || begun=''\n"
        "            _opine_reply \"$begun\"\n"
        "            return\n"
        "        fi\n"
        "        ((++at))\n"
        "    done\n"
        "    offer='' files='' list=''\n"
        "    if [[ $begun == -* || $n -ge ${#arguments[@]} ]]; then\n"
        "        offer=$options\n"
        "    else\n"
        "        case ${arguments[n]} in\n"
        "        data) offer=$_opine_datasets files=-f ;;\n"
        "        dataset) offer=$_opine_datasets ;;\n"
        "        verb) offer=$_opine_verbs ;;\n"
        "        file) files=-f ;;\n"
        "        member) case ${COMP_WORDS[at - 1]} in\n";

static const char bash_end[] = "            esac ;;\n"
                               "        esac\n"
                               "    fi\n"
                               "    _opine_reply \"$begun\"\n"
                               "}\n"
                               "\n"
                               "complete -F _opine opine\n";

static void put_bash_values(void)
{
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        char name[64];
        if (param->kind == OPN_PARAM_FLAG)
            continue;
        if (option_letter(param) != 0)
            printf("    -%c | --%s)", option_letter(param), option_name(param, name));
        else
            printf("    --%s)", option_name(param, name));
        if (param->choices != NULL) {
            printf(" offer='");
            put_choices(param->choices);
            printf(param->kind == OPN_PARAM_CHOICES ? "' list=yes" : "'");
        }
        if (is_folder(param) || is_file(param))
            printf(is_folder(param) ? " files=-d" : " files=-f");
        puts(" ;;");
    }
}

static void put_bash_arguments(const opine_verb *verb)
{
    static const char *const words[] = {
            [ARGUMENT_FILE] = "file",       [ARGUMENT_DATA] = "data",
            [ARGUMENT_DATASET] = "dataset", [ARGUMENT_VERB] = "verb",
            [ARGUMENT_TEXT] = "text",
    };
    printf(" arguments=(");
    for (int i = 0; i < verb->max_arguments; i++) {
        const opine_argument *argument = verb_argument(verb, i);
        const opine_argument *last = i > 0 ? verb_argument(verb, i - 1) : NULL;
        const char *word = words[argument == NULL ? ARGUMENT_FILE : argument->kind];
        if (argument == NULL && last != NULL && last->kind == ARGUMENT_VERB)
            word = "member"; // the second word of a verb
        printf("%s%s", i > 0 ? " " : "", word);
    }
    putchar(')');
}

static void put_bash_verb(const opine_verb *verb)
{
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    char name[64];
    printf("    '%s')\n        options='", verb->name);
    for (int i = 0; i < n; i++)
        printf("%s--%s", i > 0 ? " " : "", option_name(options[i], name));
    printf("'\n       ");
    put_bash_arguments(verb);
    printf("\n        ;;\n");
}

void print_bash_completion(void)
{
    printf("# Completion of opine for bash. Printed by: opine help --format bash\n\n"
           "_opine_verbs='");
    put_first_words();
    printf("'\n_opine_datasets='");
    put_datasets();
    printf("'\n\n");
    fputs(bash_head, stdout);
    put_bash_values();
    fputs(bash_middle, stdout);
    for (int f = 0; f < n_families; f++) {
        printf("    %s)\n"
               "        if ((COMP_CWORD == 2)); then\n"
               "            offer='",
               families[f].name);
        put_members(&families[f]);
        printf("'\n"
               "            _opine_reply \"$begun\"\n"
               "            return\n"
               "        fi\n"
               "        verb+=\" ${COMP_WORDS[2]}\"\n"
               "        at=3\n"
               "        ;;\n");
    }
    printf("    esac\n    case $verb in\n");
    for (int v = 0; v < n_verbs; v++)
        put_bash_verb(&verbs[v]);
    fputs(bash_tail, stdout);
    for (int f = 0; f < n_families; f++) {
        printf("            %s) offer='", families[f].name);
        put_members(&families[f]);
        puts("' ;;");
    }
    fputs(bash_end, stdout);
}

// ---- zsh -----------------------------------------------------------------------------

// Prints help text inside single quotes, escaping "[" and ":", which _arguments would
// interpret.
static void put_quoted(const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void put_zsh_value(const opn_param *param)
{
    if (param->kind == OPN_PARAM_FLAG)
        return;
    printf(":%s:", option_value(param));
    if (param->kind == OPN_PARAM_CHOICES)
        printf("_values -s , name ");
    if (param->kind == OPN_PARAM_CHOICE)
        putchar('(');
    if (param->choices != NULL)
        put_choices(param->choices);
    if (param->kind == OPN_PARAM_CHOICE)
        putchar(')');
    if (is_folder(param) || is_file(param))
        printf(is_folder(param) ? "_files -/" : "_files");
}

static void put_zsh_option(const opine_verb *verb, const opn_param *param)
{
    char name[64];
    char help[HELP_ROOM];
    bool has_default = true;
    const bool is_flag = param->kind == OPN_PARAM_FLAG;
    option_name(param, name);
    printf(" \\\n            ");
    const char letter = option_letter(param);
    if (letter != 0)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", letter, name, letter, is_flag ? "" : "+",
               name, is_flag ? "" : "=");
    else
        printf("'--%s%s[", name, is_flag ? "" : "=");
    option_help(verb, param, help, &has_default);
    put_quoted(help);
    putchar(']');
    put_zsh_value(param);
    putchar('\'');
}

static void put_zsh_argument(const opine_verb *verb, int i)
{
    static const char *const actions[] = {
            [ARGUMENT_FILE] = "_files",
            [ARGUMENT_DATA] = "_opine_data",
            [ARGUMENT_DATASET] = "_opine_datasets",
            [ARGUMENT_VERB] = "_opine_verbs",
            [ARGUMENT_TEXT] = "",
    };
    const opine_argument *argument = verb_argument(verb, i);
    const bool is_optional = i >= verb->min_arguments;
    if (argument == NULL)
        return;
    printf(" \\\n            '%d:%s%s:%s'", i + 1, is_optional ? ":" : "", argument->name,
           actions[argument->kind]);
}

static void put_zsh_verb(const opine_verb *verb)
{
    const opn_param *options[MAX_OPTIONS];
    const int n = verb_options(verb, options);
    printf("    ('%s')\n        _arguments -s", verb->name);
    for (int i = 0; i < n; i++)
        put_zsh_option(verb, options[i]);
    for (int i = 0; i < verb->max_arguments; i++)
        put_zsh_argument(verb, i);
    printf("\n        ;;\n");
}

// A list for _describe: each word with its description.
static void put_zsh_words(const opine_family *family)
{
    printf("words_of=(");
    for (int v = 0; v < n_verbs; v++) {
        const char *word = family != NULL ? verb_in_family(&verbs[v], family)
                           : strchr(verbs[v].name, ' ') == NULL ? verbs[v].name
                                                                : NULL;
        if (word == NULL)
            continue;
        printf("\n            '%s:", word);
        put_quoted(verbs[v].summary);
        putchar('\'');
    }
    for (int f = 0; f < n_families && family == NULL; f++) {
        printf("\n            '%s:", families[f].name);
        put_quoted(families[f].summary);
        putchar('\'');
    }
    printf(")\n");
}

static void put_zsh_helpers(void)
{
    printf("#compdef opine\n"
           "# Completion of opine for zsh. Printed by: opine help --format zsh\n\n"
           "_opine_datasets()\n"
           "{\n"
           "    compadd \"$@\" ");
    put_datasets();
    printf("\n"
           "}\n\n"
           "_opine_data()\n"
           "{\n"
           "    _alternative datasets:dataset:_opine_datasets files:file:_files\n"
           "}\n\n"
           "_opine_verbs()\n"
           "{\n"
           "    local -a words_of\n"
           "    ");
    put_zsh_words(NULL);
    printf("    _describe -t verbs verb words_of\n"
           "}\n\n");
}

void print_zsh_completion(void)
{
    put_zsh_helpers();
    printf("_opine()\n"
           "{\n"
           "    local verb=$words[2]\n"
           "    local -a words_of\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _opine_verbs\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT -= 1 ))\n"
           "    case $verb in\n");
    for (int f = 0; f < n_families; f++) {
        printf("    (%s)\n"
               "        if (( CURRENT == 2 )); then\n"
               "            ",
               families[f].name);
        put_zsh_words(&families[f]);
        printf("            _describe -t verbs verb words_of\n"
               "            return\n"
               "        fi\n"
               "        verb+=\" $words[2]\"\n"
               "        shift words\n"
               "        (( CURRENT -= 1 ))\n"
               "        ;;\n");
    }
    printf("    esac\n"
           "    case $verb in\n");
    for (int v = 0; v < n_verbs; v++)
        put_zsh_verb(&verbs[v]);
    printf("    esac\n"
           "}\n\n"
           "if [[ $funcstack[1] == _opine ]]; then\n"
           "    _opine \"$@\"\n"
           "else\n"
           "    compdef _opine opine\n"
           "fi\n");
}
