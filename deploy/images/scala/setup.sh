# Taken out of their packages, which would install a Java of their own.
apt-get download scala scala-library scala-parser-combinators scala-xml
for package in *.deb; do dpkg-deb -x "$package" .; done
mkdir -p /usr/lib/scala
cp -L usr/share/java/scala-compiler.jar usr/share/java/scala-library.jar usr/share/java/scala-reflect.jar \
  usr/share/java/scala-parser-combinators_2.11.jar usr/share/java/scala-xml_2.11.jar /usr/lib/scala/
echo "-cp $(echo /usr/lib/scala/*.jar | tr ' ' ':') scala.tools.nsc.Main -usejavacp" > /usr/lib/scala/compiler.args

# The compiler's classes, mapped from an archive.
echo 'object Try { def main(words: Array[String]): Unit = println(List(1, 2).sum) }' > try.scala
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit=/usr/lib/scala/compiler.jsa \
  @/usr/lib/scala/compiler.args -d try.jar try.scala 2> /dev/null
test "$(java -Xbootclasspath/a:/usr/lib/scala/scala-library.jar -jar try.jar)" = 3
