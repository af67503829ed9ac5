# Taken out of their packages, which would install a Java of their own.
apt-get download kotlin libtrove-intellij-java libjansi-java libjetbrains-annotations-java
for package in *.deb; do dpkg-deb -x "$package" .; done
mkdir -p /usr/lib/kotlin
for jar in compiler stdlib reflect script-runtime test; do cp -L "usr/share/java/kotlin-$jar.jar" /usr/lib/kotlin/; done
cp -L usr/share/java/libtrove-intellij.jar usr/share/java/jansi.jar usr/share/java/org.jetbrains.annotations-*.jar \
  /usr/lib/kotlin/
echo "-cp $(echo /usr/lib/kotlin/*.jar | tr ' ' ':') org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect" \
  '-cp /usr/lib/kotlin/kotlin-stdlib.jar:/usr/lib/kotlin/kotlin-test.jar' > /usr/lib/kotlin/compiler.args

# The compiler's classes, mapped from an archive.
echo 'fun main() = println(listOf(1, 2).sum())' > try.kt
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit=/usr/lib/kotlin/compiler.jsa \
  @/usr/lib/kotlin/compiler.args -d try.jar try.kt 2> /dev/null
test "$(java -Xbootclasspath/a:/usr/lib/kotlin/kotlin-stdlib.jar -jar try.jar)" = 3
