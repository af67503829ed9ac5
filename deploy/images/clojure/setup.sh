# Taken out of their packages, which would install a Java of their own.
apt-get download libclojure-java libspec-alpha-clojure libcore-specs-alpha-clojure
for package in *.deb; do dpkg-deb -x "$package" .; done
mkdir -p /usr/lib/clojure
for jar in clojure-1.12.0 spec.alpha core.specs.alpha; do cp -L "usr/share/java/$jar.jar" /usr/lib/clojure/; done

# Classes loaded at every start, mapped from an archive.
echo '(require (quote [clojure.test :refer :all])) (println (+ 1 2))' > try.clj
test "$(java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit=/usr/lib/clojure/main.jsa \
  -cp "$(echo /usr/lib/clojure/*.jar | tr ' ' ':')" clojure.main try.clj 2> /dev/null)" = 3
