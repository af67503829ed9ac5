#!/bin/sh
# Writes a bare Debian trixie to standard output, as a tar archive: the base of the language images where no registry is in
# reach. It has perl and no other language.
set -eu

# Files that the registry's slim image excludes, too: manuals, translations, documentation except licences.
excluded=
for folder in doc man info locale groff lintian; do
  excluded="${excluded}path-exclude=/usr/share/$folder/*\\n"
done
excluded="${excluded}path-include=/usr/share/doc/*/copyright\\n"

# Like the registry's image, it fetches no descriptions of packages in other languages, and dpkg does not wait for the disk
# after each file. Given as options of dpkg, the excluded files would make mmdebstrap start Python for each package, half of
# its time.
# Mmdebstrap copies hostname and resolv.conf from this host, which programs must not learn about.
exec mmdebstrap --variant=minbase \
  '--aptopt=APT::Install-Recommends "false"' \
  '--aptopt=Acquire::Languages "none"' \
  --dpkgopt=force-unsafe-io \
  "--extract-hook=printf '$excluded' > \"\$1/etc/dpkg/dpkg.cfg.d/excluded\"" \
  '--extract-hook=cd "$1/usr/share" && rm -rf man/* info/* locale/* groff/* lintian/*' \
  '--extract-hook=find "$1/usr/share/doc" -mindepth 1 ! -type d ! -name copyright -delete' \
  '--customize-hook=for file in hostname resolv.conf; do : > "$1/etc/$file"; done' \
  trixie -
