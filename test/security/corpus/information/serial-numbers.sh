for file in /sys/class/dmi/id/{product_uuid,product_serial,board_serial,chassis_serial} /sys/firmware/dmi/tables/DMI /sys/firmware/acpi/tables/DSDT /etc/machine-id /var/lib/dbus/machine-id /sys/class/net/eth0/address /sys/devices/virtual/powercap/intel-rapl/energy_uj; do
  text=$(tr -d '\0' < "$file" 2>/dev/null | head -c 60)
  [ -n "$text" ] && echo "ESCAPED: $file $text"
done
exit 0
