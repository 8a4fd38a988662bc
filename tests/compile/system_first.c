/* system_first.c - a file may have included the system's headers, and taken their macros, before */
#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#else
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#define MCP_IMPLEMENTATION
#include "mcp.h"

int main(void) {
    mcp_server_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "system_first";
    mcp_server *s = mcp_server_new(&desc);
    mcp_server_free(s);
    return !s;
}
