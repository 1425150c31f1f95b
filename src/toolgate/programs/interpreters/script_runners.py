"""Python's profilers, tracers, debuggers and launchers, as modules and as programs: each runs a script, a module or a command."""

from collections.abc import Iterator

from toolgate.model.effect import ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier

from .script_interpreters import run_script_file

_VERBS = {"coverage": ("run",), "mprof": ("run",), "accelerate": ("launch",), "streamlit": ("run",)}
"""The verbs of a runner that run a script; it only reads files by the others."""


_OTHER_LANGUAGES = (".jar", ".R")
"""Endings of what Spark runs beside Python's scripts."""


def _make_runner(name: str, options: str) -> Program:
    flags, verbs = Flags(options), _VERBS.get(name, ())

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        from .python_modules import run_module

        if verbs and (len(argv) < 2 or argv[1].text not in verbs):
            return
        given = argv[1:] if verbs else argv
        parsed_options = flags.parse(given, stop=True)
        operands = tuple(given[parsed_options.rest :])
        if name == "runpy" and operands:
            yield from run_module(operands[0], operands[1:], context)
        elif (module := parsed_options.value_of("-m")) is not None:
            yield from run_module(module, operands, context)
        elif operands and not operands[0].tail.endswith(_OTHER_LANGUAGES):
            yield from run_script_file("python", operands[0], operands, context)

    return Program(does=report_effects)


def py_spy(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """py-spy starts the command after the options of its verb."""
    options = _PY_SPY.parse(argv[1:], stop=True)
    if command := argv[1 + options.rest :]:
        yield Run(tuple(command), context.origin, make_carrier(argv))


_PY_SPY = Flags(
    "-p,--pid= -o,--output=write -f,--format= -d,--duration= -r,--rate= -s,--subprocesses -F,--function --nolineno -t,--threads -g,--gil"
    " -i,--idle -n,--native --nonblocking -l,--locals -h,--help -V,--version"
)

_RUNNERS: dict[str, Program] = {
    name: _make_runner(name, options)
    for name, options in {
        "cProfile": "-o=write -s= -m=",
        "profile": "-o=write -s= -m=",
        "trace": "--help --version -t,--trace -c,--count -r,--report -l,--listfuncs -T,--trackcalls -f,--file= -C,--coverdir="
        " -m,--missing -s,--summary -g,--timing --ignore-module= --ignore-dir= --module",
        "runpy": "",
        "tracemalloc": "",
        "viztracer": "-o,--output_file=write -m= --tracer_entries= --max_stack_depth= --min_duration= --log_func_args --quiet -q --open"
        " --log_async --ignore_c_function --ignore_frozen --include_files= --exclude_files= --unique_output",
        "memory_profiler": "-o=write -T= --pdb-mmem= --precision= --backend=",
        "mprof": "-T,--interval= -M,--multiprocess -C,--include-children -E,--exit-code -o,--output=write --python --nopython",
        "line_profiler": "-o=write",
        "kernprof": "-l,--line-by-line -b,--builtin -v,--view -o,--outfile=write -s,--setup= -u,--unit= -r,--rich -z,--skip-zero -p,--prof-mod= -m=",
        "pyinstrument": "-r,--renderer= -o,--outfile=write -i,--interval= -t,--timeline -p,--render-option= --html --show= --hide="
        " --show-all --unicode --color --from-path -m=",
        "scalene": "--html --json --cli --web --cpu --gpu --memory --cpu-only --reduced-profile --profile-all --off --outfile=write"
        " --profile-interval= --profile-only= --profile-exclude= --use-virtual-time --cpu-sampling-rate=",
        "coverage": "-a,--append --branch --source= --omit= --include= -p,--parallel-mode --rcfile= --data-file= --concurrency= --context= -m=",
        "spark-submit": "--master= --deploy-mode= --class= --name= --jars= --packages= --exclude-packages= --repositories= --py-files="
        " --files= --archives= -c,--conf= --properties-file= --driver-memory= --driver-java-options= --driver-library-path="
        " --driver-class-path= --executor-memory= --proxy-user= --driver-cores= --total-executor-cores= --executor-cores="
        " --num-executors= --principal= --keytab= --queue= --supervise --verbose --version --help",
        "torchrun": "--nnodes= --nproc_per_node,--nproc-per-node= --node_rank,--node-rank= --master_addr,--master-addr="
        " --master_port,--master-port= --rdzv_backend,--rdzv-backend= --rdzv_endpoint,--rdzv-endpoint= --rdzv_id,--rdzv-id="
        " --max_restarts,--max-restarts= --standalone -m,--module=",
        "accelerate": "--config_file= --num_processes= --num_machines= --mixed_precision= --main_process_port= --gpu_ids= --multi_gpu"
        " --cpu --use_deepspeed --deepspeed_config_file= -m,--module=",
        "streamlit": "",
        "debugpy": "--listen= --connect= --wait-for-client --log-to= -m=",
    }.items()
}
"""A runner's options; its first operand is the script."""
ROWS: dict[str, Program] = {
    **_RUNNERS,
    "py-spy": Program(does=py_spy),
    "austin": Program(
        Flags(
            "-C,--children -i,--interval= -t,--timeout= -s,--sleepless -m,--memory -f,--full -o,--output=write -p,--pid= -x,--exposure="
            " -b,--binary -g,--gc -w,--where= --help -V,--version"
        ),
        "command",
    ),
}
