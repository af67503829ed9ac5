# A failed Debug.Assert ends the process, as under .NET; MONO_PATH finds the library.
mkdir -p /usr/lib/isopod
mcs -target:library -out:/usr/lib/isopod/FailListener.dll FailListener.cs
sed -i 's#<trace autoflush="false" indentsize="4" />#<trace autoflush="true"><listeners><clear/><add name="Default" type="FailListener, FailListener"/></listeners></trace>#' /etc/mono/4.5/machine.config
grep -q FailListener /etc/mono/4.5/machine.config

# Without netlink Mono would find no interface, and connect to nothing.
gcc -O2 -Wall -shared -fPIC -o /usr/lib/isopod/interfaces.so interfaces.c
sed -i 's#</configuration>#<dllmap dll="libc"><dllentry dll="/usr/lib/isopod/interfaces.so" name="getifaddrs" target="getifaddrs"/><dllentry dll="/usr/lib/isopod/interfaces.so" name="freeifaddrs" target="freeifaddrs"/></dllmap></configuration>#' /etc/mono/config
grep -q interfaces.so /etc/mono/config
apt-get purge -y --autoremove gcc libc6-dev
