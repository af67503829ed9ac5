#ifndef FILE_SYSTEMS_H
#define FILE_SYSTEMS_H

/* The steps of steps.h that lay out a sandbox's file systems, each with its values. */
void mount_overlay(char **values);
void bind_mount(char **values);
void mount_tmpfs(char **values);
void mount_proc(char **values);
void make_directory(char **values);
void make_device(char **values);
void make_link(char **values);
void restrict_mount(char **values);

#endif
