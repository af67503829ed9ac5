{code}
{script}
if defined?(::Test::Unit::AutoRunner)
  ::Test::Unit::AutoRunner.need_auto_run = false
  exit!(1) unless ::Test::Unit::AutoRunner.run
elsif defined?(::Minitest)
  exit!(1) unless ::Minitest.run([])
end
::File.write('{report}', '')
$stdout.flush
exit!(0)
