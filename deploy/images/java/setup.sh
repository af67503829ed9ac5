# Taken out of their packages: installed, they would bring certificates, fonts and a second set of all modules.
apt-get download openjdk-21-jdk-headless openjdk-21-jre-headless libjavatuples-java
for package in *.deb; do dpkg-deb -x "$package" files; done
cp -a files/etc/java-21-openjdk /etc/
jdk=$(echo files/usr/lib/jvm/java-21-openjdk-*)
"$jdk/bin/jlink" --module-path "$jdk/jmods" --output /usr/lib/java --strip-java-debug-attributes --no-man-pages \
  --no-header-files --add-modules java.se,jdk.charsets,jdk.compiler,jdk.unsupported
install -D -m 644 files/usr/share/java/javatuples.jar /usr/share/java/javatuples.jar
ln -s /usr/lib/java/bin/java /usr/lib/java/bin/javac /usr/local/bin/

# Build compiles a class whose name is not the file's, and finds out which one to start; its classes are mapped from an archive.
javac -d build Build.java
mkdir /usr/lib/isopod
"$jdk/bin/jar" -cf /usr/lib/isopod/build.jar -C build .
java -Xshare:dump -XX:+UseSerialGC > /dev/null
mkdir try && cd try
echo 'class Try { public static void main(String[] a) { System.out.println(a.length); } }' > Try.java
java -XX:+UseSerialGC -XX:ArchiveClassesAtExit=/usr/lib/isopod/build.jsa -cp /usr/lib/isopod/build.jar Build Try.java . \
  2> /dev/null
test "$(java -cp . @main.args)" = 0
