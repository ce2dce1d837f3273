//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func thaw(p *os.Process) error   { return p.Signal(syscall.SIGCONT) }

// signal tells the server to stop: at once and without a checkpoint, or in order.
func (db *database) signal(crash bool) error {
	s := syscall.SIGTERM
	switch {
	case crash && db.of.aborts:
		s = syscall.SIGQUIT
	case crash:
		s = syscall.SIGKILL
	case db.of.fast:
		s = syscall.SIGINT
	}
	return db.server.Process.Signal(s)
}

// unprivileged lets a server that refuses to run as root run as somebody else.
func (db *database) unprivileged(cmd *exec.Cmd) error {
	if os.Getuid() != 0 || !db.of.humble {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return err
		}
	}
	uid, err := strconv.Atoi(who.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(who.Gid)
	if err != nil {
		return err
	}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	if info, err := os.Stat(db.dir); err != nil || info.Sys().(*syscall.Stat_t).Uid == uint32(uid) { //nolint:forcetypeassert // of a unix system
		return err
	}
	return os.Chown(db.dir, uid, gid)
}
