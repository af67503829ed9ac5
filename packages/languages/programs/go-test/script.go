{code}
{script}
var {tag} bool
func TestMain(tests *{tag}testing.M) {
  {tag}flag.Parse()
  {tag}flag.Set("test.run", "")
  {tag}flag.Set("test.skip", "")
  failed := tests.Run()
  if failed == 0 && {tag} {
    {tag}os.WriteFile("{report}", nil, 0o600)
  } else {
    println("not all tests passed")
  }
  {tag}os.Exit(failed)
}
