"""Programs, code and processes."""

ROWS = """
system|exec|systemx|capture|capturex|runx(*words) => start_of_list(words)
`|qx|readpipe(command) => shell_line(command)
open2|IPC::Open2::open2(out, in_, *words) -> start_of_list(words)
open3|IPC::Open3::open3(in_, out, err, *words) -> start_of_list(words)
run|start|harness|run_forked(*given) -> run_listed(given) => test()
fork() => test()
kill(signal, *pids) -> kill(signal, pids)
exit|_exit(*rest) => never()
die|croak|confess(*rest) => never()
warn|carp|cluck(*rest) => none()
print|say(*values) -> print_values(values)
printf(form, *values) -> print_values(argv(values))
syscall(*rest) -> opaque('a system call by its number')
do(path) -> include(path)
use_module(path) -> use_module(path)
getc|STDIN.getline(*rest) => input()
time|times|localtime|gmtime|sleep|rand|srand|getppid|wait|waitpid|alarm|select|binmode|close|closedir|eof|fileno|seek|tell|umask|flock|strftime|floor|ceil|max|min|sum|sum0|hostname|getpwuid|getpwnam|getlogin|caller|md5_hex|sha1_hex|sha256_hex|looks_like_number|blessed|reftype|Dumper|encode_json|to_json|decode_json|from_json|freeze|thaw|dclone|encode_base64|uri_escape|crypt|study|pos|reset|format|local|lstat|stat|wantarray|prototype|vec|index|rindex|atan2|sqrt|log|exp|sin|cos|Time::HiRes::sleep|setsid|dup2|setuid|nice(*rest) => number(rest)
"""
