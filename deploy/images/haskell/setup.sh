# Programs are linked dynamically; what only a static one needs is left out.
find /usr/lib/ghc -name '*.a' -delete
find /usr/lib/ghc -name '*.hi' -delete
echo 'main = putStrLn "linked"' > main.hs
ghc -v0 -dynamic main.hs
test "$(./main)" = linked
