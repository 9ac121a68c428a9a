/* Put before MPI, it spoils one byte of what the function that $CORRUPT names has received, the second time. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int due(const char* name) {
  static int calls = 0;
  const char* wanted = getenv("CORRUPT");
  return wanted != 0 && strcmp(wanted, name) == 0 && ++calls == 2;
}

static int spoil(const char* name, void* received, int bytes, int status) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (bytes > 0 && rank == 1 && due(name)) ((unsigned char*)received)[bytes - 1] ^= 1;
  return status;
}

int MPI_Recv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return spoil("Recv", to, count, PMPI_Recv(to, count, type, from, tag, comm, status));
}

int MPI_Sendrecv(const void* sent, int n, MPI_Datatype type, int dest, int tag, void* to, int count, MPI_Datatype got,
                 int from, int other, MPI_Comm comm, MPI_Status* status) {
  return spoil("Sendrecv", to, count,
               PMPI_Sendrecv(sent, n, type, dest, tag, to, count, got, from, other, comm, status));
}

static void* last;
static int last_bytes;

int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  last = to;
  last_bytes = count;
  return PMPI_Irecv(to, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return spoil("Waitall", last, last_bytes, PMPI_Waitall(count, requests, statuses));
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return spoil("Bcast", data, count, PMPI_Bcast(data, count, type, root, comm));
}

int MPI_Allgather(const void* sent, int n, MPI_Datatype type, void* to, int count, MPI_Datatype got, MPI_Comm comm) {
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  return spoil("Allgather", to, count * ranks, PMPI_Allgather(sent, n, type, to, count, got, comm));
}

int MPI_Alltoall(const void* sent, int n, MPI_Datatype type, void* to, int count, MPI_Datatype got, MPI_Comm comm) {
  int ranks;
  PMPI_Comm_size(comm, &ranks);
  return spoil("Alltoall", to, count * ranks, PMPI_Alltoall(sent, n, type, to, count, got, comm));
}

int MPI_Allreduce(const void* sent, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int status = PMPI_Allreduce(sent, to, count, type, op, comm);
  return type == MPI_FLOAT ? spoil("Allreduce", to, 4 * count, status) : status;
}
