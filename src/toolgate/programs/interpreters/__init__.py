"""Programs that run or compile code: interpreters, evaluators, compilers, development tools."""
