/* folder.h - directories, made and removed the same way on both systems */
#ifndef FOLDER_H
#define FOLDER_H

#ifdef _WIN32
#include <direct.h>
#define make_dir(path) _mkdir(path)
#define remove_dir(path) _rmdir(path)
#else
#include <sys/stat.h>
#include <unistd.h>
#define make_dir(path) mkdir(path, 0700)
#define remove_dir(path) rmdir(path)
#endif

#endif
