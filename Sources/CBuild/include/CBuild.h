#ifndef CBUILD_H
#define CBUILD_H

/// The commit that the binary was built from; empty until `scripts/install` has written it into the installed copy.
const char *build_commit(void);

#endif
