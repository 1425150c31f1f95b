#!/bin/sh
# Hands a hook call to the gate's client on this account; without one, no tool runs. Fixed places first: PATH may be a project's.
for client in "$HOME/.local/bin/toolgate-hook" /usr/local/bin/toolgate-hook "$(command -v toolgate-hook)"; do
    [ -x "$client" ] && exec "$client" "$@"
done
for program in "$HOME/.local/bin/toolgate" /usr/local/bin/toolgate "$(command -v toolgate)"; do
    [ -x "$program" ] && exec "$program" hook "$@" # a wheel without the native client
done
[ "$2" = PreToolUse ] || exit 0
echo "toolgate is not installed, so its plugin lets no tool run: pipx install toolgate, or remove the plugin" >&2
exit 2
