"""Task runners: what the settings of Grunt's plugins and the streams of gulp do with files and programs."""

ROWS = """
?.initConfig|grunt.config.init|grunt.config.merge(settings=) -> configure_plugins(settings)
grunt.config.set(name, settings=) -> configure_plugin(name, settings)
grunt.file.delete(path, options=) -> delete(glob(path), True)
grunt.file.write(path, text=, options=) -> write(path, text)
grunt.file.copy(source, target, options=) -> write(target)
grunt.util.spawn(options, done=) -> start(option(options, 'cmd'), option(options, 'args'))
gulp.src(patterns, options=) => files(patterns)
gulp.dest(path, *rest) -> write(path, append=True, folder=True)
gulp-clean|gulp-rimraf|gulp-clean.default|gulp-rimraf.default(*rest) => instance('gulp-deletion')
gulp-shell|gulp-shell.task|gulp-shell.default|gulp-run|gulp-exec(commands, *rest) -> run_lines(commands)
vinyl.pipe(step=, *rest) -> pipe_files(me, step) => me
"""
