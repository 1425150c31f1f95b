"""SCons: its names stand in an SConstruct file without an import."""

ROWS = """
SCons.Script.Delete(dest, must_exist=) -> delete(dest, True)
SCons.Script.Move(dest, src) -> move(src, dest)
SCons.Script.Copy(dest, src, symlinks=) -> copy(src, dest)
SCons.Script.Touch|SCons.Script.Mkdir(file) -> write(file, append=True)
SCons.Script.Chmod(dest, mode) -> permit(dest, mode)
SCons.Script.Execute|SCons.Script.Action(action, *rest, **kwargs) -> run_actions(action)
SCons.Script.Command|SCons.Script.AlwaysBuild.Command(target, source=, action=, **kwargs) -> run_actions(action)
SCons.Script.AddPreAction|SCons.Script.AddPostAction(target, action) -> run_actions(action)
SCons.Script.Alias(alias, targets=, action=) -> run_actions(action)
SCons.Script.Install(dir, source) -> copy(source, dir)
SCons.Script.InstallAs(target, source) -> copy(source, target)
SCons.Script.Environment|SCons.Script.DefaultEnvironment|SCons.Script.Clone(*args, **kwargs) => instance('SCons.Script')
"""
