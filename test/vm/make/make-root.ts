import { cp, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentHash, installPackages, runCommand } from '@isopod/devstack'
import { cached, inScratch } from '../cache.ts'
import { MACHINES, type VmArchitecture } from '../machine.ts'
import { registerArm64 } from './binfmt.ts'
import { makeDisk } from './disk.ts'

/** Root disk, kernel and initial RAM disk of a virtual machine. */
export interface Root {
  readonly disk: string
  readonly kernel: string
  readonly initrd: string
}

/** Files that are added to Debian's. */
const OVERLAY = fileURLToPath(new URL('../root', import.meta.url))
const SIZE_MB = 6144
const SUITE = 'trixie'

const PACKAGES = [
  ...['initramfs-tools', 'systemd-sysv', 'udev', 'dbus', 'dbus-user-session', 'libpam-systemd', 'kmod'],
  ...['docker.io', 'docker-cli', 'apparmor', 'redis-server', 'iproute2', 'procps'],
  // Docker without root.
  ...['uidmap', 'rootlesskit', 'slirp4netns'],
  // Libraries of Node.
  ...['ca-certificates', 'libatomic1', 'libstdc++6'],
]
/** Commands that unpack the runc of the next Debian release next to this one's. A mirror can be behind, with old lists. */
const NEWER_RUNC = [
  'list=/etc/apt/sources.list.d/newer.list',
  'echo "deb [check-valid-until=no] http://deb.debian.org/debian sid main" > $list',
  'apt-get update -q',
  'cd /opt',
  'apt-get download -q runc/sid',
  'dpkg-deb -x runc_*.deb newer-runc',
  'rm -r $list runc_*.deb /var/lib/apt/lists',
].join(' && ')
const LEFT_OUT = ['man', 'locale', 'doc', 'info']

/** Debian trixie with its cloud kernel, systemd and Docker as a disk; made once, and again when its recipe changes. */
export async function makeRoot(architecture: VmArchitecture, log: (line: string) => void): Promise<Root> {
  const { debian } = MACHINES[architecture]
  const words = bootstrapWords(debian)
  const fingerprint = await contentHash([OVERLAY], [...words, String(SIZE_MB), SUITE])
  const folder = await cached(`root-${architecture}`, fingerprint, async (path) => {
    await installPackages(['debootstrap'], log)
    const minutes = architecture === process.arch ? '1 to 3 minutes' : 'about 6 minutes'
    log(`making Debian ${SUITE} for ${debian} from its packages (${minutes})`)
    await inScratch(async (scratch) => {
      const root = join(scratch, 'root')
      const release = architecture === process.arch ? async () => {} : await registerArm64()
      try {
        await runCommand(['mmdebstrap', ...words, SUITE, root], {
          env: { ...process.env, TMPDIR: scratch },
          deadlineMs: 30 * 60_000,
        })
      } finally {
        await release()
      }
      await mkdir(path, { recursive: true })
      const boot = await readdir(join(root, 'boot'))
      for (const name of ['vmlinuz', 'initrd.img']) {
        const found = boot.find((file) => file.startsWith(`${name}-`))
        if (found === undefined) throw new Error(`the kernel's package has left no ${name}`)
        await rename(join(root, 'boot', found), join(path, name))
      }
      await cp(OVERLAY, root, { recursive: true, verbatimSymlinks: true })
      await makeDisk(join(path, 'disk'), { label: 'isopod-root', folder: root, sizeMb: SIZE_MB })
    })
  })
  return {
    disk: join(folder, 'disk'),
    kernel: join(folder, 'vmlinuz'),
    initrd: join(folder, 'initrd.img'),
  }
}

function bootstrapWords(debian: string): string[] {
  return [
    ...['--variant=apt', '--mode=root', `--architectures=${debian}`],
    `--aptopt=APT::Install-Recommends "false"`,
    ...LEFT_OUT.map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    `--include=${[`linux-image-cloud-${debian}`, ...PACKAGES].join(',')}`,
    '--customize-hook=chroot "$1" useradd --create-home --uid 1000 --shell /bin/bash isopod',
    '--customize-hook=chroot "$1" systemctl mask apt-daily.timer apt-daily-upgrade.timer systemd-timesyncd.service',
    '--customize-hook=chroot "$1" systemctl disable redis-server.service',
    ...(debian === 'amd64' ? [`--customize-hook=chroot "$1" sh -c '${NEWER_RUNC}'`] : []),
    '--customize-hook=mkdir -p "$1/var/lib/systemd/linger" && touch "$1/var/lib/systemd/linger/isopod"',
  ]
}
