// planetoid_writer.h -- writes a small graph in Planetoid format.

#ifndef OPN_PLANETOID_WRITER_H
#define OPN_PLANETOID_WRITER_H

// Writes PREFIX.graph, PREFIX.allx and so on: a ring of 510 nodes, as small as the 500
// validation nodes allow. 3 train, 505 have rows in allx, 508, 506, 505 and 509 in tx;
// 507 is in neither. Node 0 is of class 0, its neighbours of class 1, and so on; each
// node has one of 7 words, once or twice.
void support_write_planetoid(const char *prefix);

#endif // OPN_PLANETOID_WRITER_H
