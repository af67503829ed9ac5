# Taken out of its package, of 2.5 GB: debugger, editor service, package manager, other linkers, static and embedded
# libraries are left out.
apt-get download swiftlang libswiftlang
for package in *.deb; do dpkg-deb -x "$package" . && rm "$package"; done
cd usr/libexec/swift
rm -rf lib/swift/embedded lib/swift_static lib/swift/FrameworkABIBaseline lib/swift/pm lib/swift/migrator lib/clang/17/lib \
  lib/liblldb* lib/libsourcekit* lib/libLTO* lib/libIndexStore* lib/libswiftGenericMetadataBuilder.so \
  lib/swift/host/lib_InternalSwiftScan.so lib/swift/linux/lib_InternalSwiftS* libexec share
mkdir kept
for tool in swiftc swift swift-driver swift-frontend swift-autolink-extract swift-plugin-server clang clang-17; do
  mv "bin/$tool" kept/
done
rm -r bin
mv kept bin
cd /tmp/isopod
mv usr/libexec/swift /usr/libexec/
cp -a usr/lib/. /usr/lib/
ldconfig
ln -s /usr/libexec/swift/bin/swiftc /usr/local/bin/swiftc
echo 'import Foundation; print(String(format: "%.1f", 1.5))' > main.swift
swiftc -O -o main main.swift
test "$(./main)" = 1.5
