! SPDX-License-Identifier: MIT
program marked
  use takt_marker
  implicit none
  integer :: i
  real :: sum
  call takt_marker_init()
  sum = 0
  do i = 1, 3
    call takt_marker_start("from fortran ")
    sum = sum + real(i)
    call takt_marker_stop("from fortran")
  end do
  call takt_marker_close()
  print *, sum
end program
